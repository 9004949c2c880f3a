import { describe, expect, it } from '@jest/globals';
import type { EffectView, TaskView } from '../load/index.js';
import { effectFaults } from './effects.js';

const STEP = { name: 'first', state: 'succeeded', attempts: 1, message: null, rollback: null };

function taskThat(status: string): TaskView {
  const steps = [{ ...STEP, output: { name: 'first' } }];
  return { taskId: 'a', status, steps } as unknown as TaskView;
}

function effect(applied: number, undone: number): EffectView {
  return { taskId: 'a', step: 'first', id: 'first', name: 'first', applied, undone };
}

describe('the effects of a practice task', () => {
  it.each([
    ['succeeded', [effect(1, 0)]],
    ['rolled_back', [effect(1, 1)]],
  ])('are those of one that %s', (status, effects) => {
    expect(effectFaults(taskThat(status), effects)).toEqual([]);
  });

  it.each([
    ['succeeded', [effect(2, 0)]],
    ['succeeded', [effect(1, 1)]],
    ['succeeded', []],
    ['rolled_back', [effect(1, 0)]],
    ['rolled_back', [effect(1, 2)]],
    ['rolled_back', [effect(0, 1)]],
  ])('are not those of one that %s when they are %j', (status, effects) => {
    expect(effectFaults(taskThat(status), effects)).toHaveLength(1);
  });
});
