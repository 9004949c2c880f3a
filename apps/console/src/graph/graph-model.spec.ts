import { describe, expect, it } from '@jest/globals';
import type { Scope, Step } from '../api/shapes.js';
import { ran, step, undo } from '../task/task-spec.js';
import { taskGraph } from './graph-model.js';

const tryOf = (name: string, way: Scope['way'], ...states: readonly string[]): Scope => ({
  kind: 'try',
  name,
  way,
  steps: states.map((state, n) =>
    ran(`s${n}`, n + 1, { id: `g#${name}/s${n}`, rollback: undo(state) }),
  ),
});

function groupOf(...scopes: readonly Scope[]) {
  const { normal: _normal, rollback: _rollback, ...rest } = step('g', { kind: 'group' });
  const group: Step = { ...rest, state: 'running', scopes };
  return taskGraph([group], false).steps[0];
}

describe('the node of a group whose try went back', () => {
  it.each([
    [['succeeded', 'running'], 'running'],
    [['pending', 'succeeded'], 'running'],
    [['succeeded', 'none', 'skipped'], 'succeeded'],
    [['failed', 'pending'], 'failed'],
  ])('says of undos that are %j: %s', (states, state) => {
    const node = groupOf(tryOf('1', 'back', ...states));
    expect(node?.undo).toEqual({ state, command: 'try 1', of: 'try 1' });
    expect(node?.label).toBe(`g, running, undo ${state}`);
  });

  it('keeps saying so while the next try runs', () => {
    const node = groupOf(tryOf('1', 'back', 'succeeded'), tryOf('2', 'forward', 'none'));
    expect(node?.undo).toMatchObject({ state: 'succeeded', of: 'try 1' });
  });

  it('says nothing where nothing is undone', () => {
    for (const scope of [tryOf('1', 'forward', 'none'), tryOf('1', 'back', 'none')]) {
      expect(groupOf(scope)).toMatchObject({ undo: null, label: 'g, running' });
    }
  });
});

describe('the box of steps that go together', () => {
  it.each<[Scope['way'], readonly string[], boolean]>([
    ['forward', ['none'], false],
    ['back', ['succeeded', 'pending'], false],
    ['back', ['succeeded', 'failed'], false],
    ['back', ['succeeded', 'none', 'skipped'], true],
  ])('on its way %s, with undos that are %j: gone back is %s', (way, states, isUndone) => {
    const [scope] = groupOf(tryOf('1', way, ...states))?.scopes ?? [];
    expect(scope).toMatchObject({ isBack: way === 'back', isUndone });
  });

  it('has not gone back while a step in it is under way', () => {
    const { steps, ...rest } = tryOf('1', 'back', 'none');
    const running = steps.map((inner) => ({ ...inner, state: 'running' }));
    expect(groupOf({ ...rest, steps: running })?.scopes[0]?.isUndone).toBe(false);
  });
});
