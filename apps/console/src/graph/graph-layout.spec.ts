import { describe, expect, it } from '@jest/globals';
import { ran, step } from '../task/task-spec.js';
import { foldable } from './folding.js';
import { type Direction, type Drawing, layout } from './graph-layout.js';
import { flowGraph, type GraphStep, taskGraph } from './graph-model.js';

const chain = [ran('a', 1), step('b', { needs: ['a'] }), step('c', { needs: ['b'] })];
const group = step('g', {
  kind: 'group',
  needs: ['a'],
  scopes: [
    { kind: 'try', name: '2', way: 'back', steps: [ran('x', 1), step('y', { needs: ['x'] })] },
  ],
});

/** The drawing of a graph in which everything is open. */
function unfolded(steps: readonly GraphStep[], direction: Direction = 'LR'): Drawing {
  return layout(steps, { direction, open: new Set(foldable(steps)) });
}

describe('a drawing', () => {
  it('goes across, or down where there is little room', () => {
    const { steps } = taskGraph(chain, false);
    const across = unfolded(steps).boxes.map(({ x }) => x);
    expect(across).toEqual([...across].sort((one, other) => one - other));
    expect(new Set(across).size).toBe(3);
    expect(new Set(unfolded(steps, 'TB').boxes.map(({ x }) => x)).size).toBe(1);
  });

  it('has steps side by side in the order of the flow, both ways', () => {
    const names = Array.from({ length: 7 }, (_, n) => `side-${n}`);
    const sides = names.map((name) => step(name, { needs: ['a'] }));
    const long = step('long', { needs: ['side-1'] });
    const join = step('join', { needs: ['long', ...names.slice(2)] });
    const { steps } = taskGraph([ran('a', 1), ...sides, long, join], false);
    for (const [direction, along] of [
      ['LR', 'y'],
      ['TB', 'x'],
    ] as const) {
      const places = unfolded(steps, direction)
        .boxes.filter(({ id }) => id.startsWith('side-'))
        .map((box) => box[along]);
      expect(places).toEqual([...places].sort((one, other) => one - other));
      expect(new Set(places).size).toBe(names.length);
    }
  });

  it('has an arrow for each need', () => {
    expect(unfolded(taskGraph(chain, false).steps).arrows).toMatchObject([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ]);
  });

  it('keeps what a step holds within it, and after it', () => {
    const { boxes } = unfolded(taskGraph([ran('a', 1), group], false).steps);
    const byId = new Map(boxes.map((box) => [box.id, box]));
    for (const box of boxes) {
      if (box.parent === null) continue;
      const parent = byId.get(box.parent);
      if (parent === undefined) throw new Error(`${box.parent} is not drawn`);
      expect(boxes.indexOf(parent)).toBeLessThan(boxes.indexOf(box));
      expect(box.x).toBeGreaterThan(parent.x);
      expect(box.x + box.width).toBeLessThanOrEqual(parent.x + parent.width);
      expect(box.y + box.height).toBeLessThanOrEqual(parent.y + parent.height);
      expect(box.depth).toBe(parent.depth + 1);
    }
    expect(byId.get('x')?.parent).toBe('g scope 0');
  });
});

describe('the height of a node', () => {
  const heightOf = (name: string, more: Parameters<typeof step>[1] = {}): number => {
    const [box] = unfolded(taskGraph([step(name, more)], false).steps).boxes;
    return box?.height ?? 0;
  };

  it('has room for a long name and for the state below it', () => {
    const short = heightOf('check');
    expect(heightOf('check_resource')).toBeGreaterThan(short);
    expect(heightOf('reserve_machine_in_region')).toBeGreaterThan(heightOf('check_resource'));
    expect(heightOf('checks', { attempts: 2 })).toBeGreaterThan(heightOf('checks'));
    const written = { name: 'check_resource', normal: { module: 'm', command: 'c' } };
    expect(unfolded(flowGraph([written]).steps).boxes[0]?.height).toBe(short);
  });
});

describe('the names of nodes', () => {
  it('are the step and its state', () => {
    const [a, b] = taskGraph(chain, false).steps;
    expect([a?.label, b?.label]).toEqual(['a, succeeded', 'b, pending']);
  });

  it('have the state of the undo on the way back', () => {
    const undone = { ...(ran('a', 1).rollback as object), state: 'succeeded' };
    const [a] = taskGraph([ran('a', 1, { rollback: undone as never })], true).steps;
    expect(a?.label).toBe('a, succeeded, undo succeeded');
  });
});

describe('a point of no return', () => {
  it('is told of a step of a task and of a flow', () => {
    const pivots = [ran('a', 1, { pivot: true }), ran('b', 2)];
    expect(taskGraph(pivots, false).steps.map(({ isPivot }) => isPivot)).toEqual([true, false]);
    const written = { name: 'a', pivot: true, normal: { module: 'm', command: 'c' } };
    expect(flowGraph([written]).steps).toMatchObject([{ isPivot: true, kind: 'normal' }]);
  });
});

describe('a flow', () => {
  it('is drawn with the lists that any kind of step holds', () => {
    const one = { name: 'one', normal: { module: 'm', command: 'c' } };
    const { steps } = flowGraph([
      { name: 'pick', choice: [{ name: 'big', steps: [one] }], otherwise: [one] },
      { name: 'both', parallel: { left: [one], right: [one] } },
      { name: 'again', loop: { steps: [one], max: 3 }, catch: [{ errors: ['*'], steps: [one] }] },
    ]);
    expect(steps.map(({ kind }) => kind)).toEqual(['choice', 'parallel', 'loop']);
    expect(steps.map(({ scopes }) => scopes.map(({ title }) => title))).toEqual([
      ['case big', 'otherwise'],
      ['branch left', 'branch right'],
      ['up to 3 rounds', 'catch *'],
    ]);
    expect(steps.map(({ needs }) => needs)).toEqual([[], ['pick'], ['both']]);
    expect(unfolded(steps).boxes).toHaveLength(15);
  });
});
