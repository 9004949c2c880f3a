import { describe, expect, it } from '@jest/globals';
import { sampleTask } from '#testing';
import { isRunId, placeOf, placeOfStep, runIdOf } from './run-id.js';
import type { Task } from '../task/task.js';

/** A task of the steps `check` and `create` whose runs are of these generations. */
function taskOf(...generations: readonly number[]): Task {
  const task = sampleTask();
  return {
    ...task,
    runs: task.runs.map((runs, n) => ({ ...runs, generation: generations[n] ?? 1 })),
  };
}

describe('the id of a run', () => {
  it('is the name of its step where nothing was reset', () => {
    const task = taskOf(1, 1);
    expect([runIdOf(task, 0), runIdOf(task, 1)]).toEqual(['check', 'create']);
  });

  it('has the generation of a step that was reset', () => {
    const task = taskOf(2, 13);
    expect([runIdOf(task, 0), runIdOf(task, 1)]).toEqual(['check~2', 'create~13']);
  });

  it('leads back to its place', () => {
    const task = taskOf(1, 13);
    expect([placeOf(task, 'check'), placeOf(task, 'create~13')]).toEqual([0, 1]);
  });

  it.each(['create', 'create~12', 'create~14', 'create~013', 'create~', 'check~1', 'check~2'])(
    '%s is none of a task that has check and create~13',
    (id) => expect(placeOf(taskOf(1, 13), id)).toBeNull(),
  );

  it.each(['', '~', 'other', 'constructor', 'check/create', 'check#1/create'])(
    '%j is none of a task without such a step',
    (id) => expect(placeOf(taskOf(), id)).toBeNull(),
  );

  it.each(['check', 'Größe 1', 'check~2', 'check~100', 'a#1/b', 'a~2#3/b#1/c~9'])(
    'can be %j',
    (id) => expect(isRunId(id)).toBe(true),
  );

  it.each(['', '~2', 'a~', 'a~1', 'a~0', 'a~02', 'a~2~3', 'a#1', 'a#/b', 'a/b', '#1/b', 'a#1/'])(
    'cannot be %j',
    (id) => expect(isRunId(id)).toBe(false),
  );

  it('is not what a step is found by, whatever its generation', () => {
    expect(placeOfStep(taskOf(1, 13), 'create')).toBe(1);
    expect(placeOfStep(taskOf(1, 13), 'create~13')).toBeNull();
  });
});
