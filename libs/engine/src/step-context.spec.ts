import { describe, expect, it } from '@jest/globals';
import type { Task, Turn } from '#core';
import { chain, done, fails, settle } from '#testing';
import { callOffText } from './step-context.js';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

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

it('a command may change what it gets: the task keeps its own', async () => {
  const w = await world();
  const seen: unknown[] = [];
  const change = (each: object): void => {
    seen.push(structuredClone(each));
    for (const list of Object.values(each)) if (Array.isArray(list)) list.push('changed');
  };
  for (const name of ['m.b', 'm.c', 'm.undo_a'] as const) {
    w.commands.scripts.set(name, ({ output, parameters, results }) => {
      change(parameters);
      for (const each of [output, ...Object.values(results)]) if (each !== null) change(each);
      return name === 'm.c' ? fails() : done();
    });
  }
  w.commands.scripts.set('m.a', () => done({ sent: ['a'] }));
  await w.submit(chain(['a', 'b', 'c']), { given: [['g']] });
  await settle();
  expect(seen.length).toBeGreaterThan(5);
  for (const each of seen) expect(JSON.stringify(each)).not.toContain('changed');
});
