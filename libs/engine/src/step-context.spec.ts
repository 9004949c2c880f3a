import { describe, expect, it } from '@jest/globals';
import type { Task, Turn } from '#core';
import { callOffText } from './step-context.js';

type Called = Pick<Task, 'outcome' | 'turned' | 'way'>;

function turn(why: Turn['why']): Turn {
  return { at: 0, why, message: '', cause: null, to: null, by: null };
}

const CASES: readonly (readonly [Called, string])[] = [
  [{ outcome: 'terminated', way: 'back', turned: turn('requested') }, 'the task was terminated'],
  [{ outcome: null, way: 'back', turned: turn('requested') }, 'rollback was requested'],
  [{ outcome: null, way: 'back', turned: turn('reset') }, 'a reset was requested'],
  [{ outcome: null, way: 'back', turned: turn('step_failed') }, 'the task rolls back'],
  [{ outcome: null, way: 'forward', turned: null }, 'the steps around it are undone'],
];

describe('a step that is called off', () => {
  it.each(CASES)('%j says why', (task, reason) => {
    expect(callOffText(task)).toBe(`cancelled: ${reason}`);
  });
});
