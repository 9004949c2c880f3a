import { describe, expect, it } from '@jest/globals';
import {
  type ActionRun,
  DEFAULT_TIMING,
  Journal,
  PENDING_RUN,
  type StepRuns,
  type Task,
} from '#core';
import { createTask } from '#core/transitions';
import { eventfulTask, nextOf, sampleTask } from '#testing';
import { StepShelf } from './plan-codec.js';
import { PLACE } from './places.js';
import { COMMIT_SETS } from './commit-sets.js';
import type { CommitRequest, InsertRequest, StoredTask } from './protocol.js';
import type { KnownTask } from './task-cache.js';
import { decodeTask, encodeCommit, encodeInsert } from './task-codec.js';
import { termLines } from './term-lines.js';

describe('a stored task', () => {
  it('of a form that this version does not know is refused', () => {
    const { row, shelf } = stored(sampleTask());
    const unknown = row.with(7, row[7].replace('[[4,', '[[5,')) as unknown as StoredTask;
    expect(() => decodeTask(unknown, shelf)).toThrow('unknown format 5');
  });

  it('is the same task again, run by run', () => {
    const task = eventfulTask();
    const { row, shelf } = stored(task);
    expect(decodeTask(row, shelf).task).toEqual(task);
  });

  it('that has references and runs all of its steps is the same task again', () => {
    const task = sampleTask({ references: ['file:db/root'] });
    const { row, shelf } = stored(task);
    expect(decodeTask(row, shelf).task).toEqual(task);
  });

  it('that has limits and no references is the same task again', () => {
    const task = sampleTask({ limits: { starters: [{ flows: null, modules: ['m'] }] } });
    const { row, shelf } = stored(task);
    expect(decodeTask(row, shelf).task).toEqual(task);
  });

  it('has a text for each scope, of which a commit writes those that it changes', () => {
    const task = branchedTask();
    const { row, shelf } = stored(task);
    expect(row[9].map(([place]) => place)).toEqual([PLACE.scope, PLACE.scope + 1]);
    const known = decodeTask(row, shelf);
    expect(known.task).toEqual(task);
    const [first, second] = known.task.scopes;
    const next = nextOf(known.task, { scopes: [first!, { ...second!, round: 2 }] });
    expect(commit(known, next).request[9]?.map(([place]) => place)).toEqual([PLACE.scope + 1]);
  });

  it('shares its steps and its fresh runs with every other task', () => {
    const { row, shelf } = stored(sampleTask());
    const [one, two] = [decodeTask(row, shelf).task, decodeTask(row, shelf).task];
    expect(one.plan.steps).toBe(two.plan.steps);
    expect(one.runs[1]?.normal).toBe(PENDING_RUN);
  });
});

describe('a commit', () => {
  it('writes only the runs that changed anew, and appends only the new entries', () => {
    const { known } = stored(sampleTask());
    const [first, second] = known.task.runs;
    const changed = { ...second!, normal: { ...second!.normal, attempts: 7 } };
    const next = nextOf(known.task, { runs: [first!, changed] });
    const write = commit(known, next);
    expect(write.known.fragments?.[0]?.texts[0]).toBe(known.fragments?.[0]?.texts[0]);
    expect(write.known.fragments?.[0]?.texts[1]).not.toBe(known.fragments?.[0]?.texts[1]);
    expect(JSON.parse(`[${write.request[7].slice(0, -1)}]`)).toHaveLength(1);
  });

  it('sets no indexed column that stays as it was', () => {
    const { known } = stored(sampleTask({}, { wakeAt: 10_240 }));
    const setsOf = (change: Partial<Task>): number =>
      commit(known, nextOf(known.task, change)).request[8];
    expect(setsOf({})).toBe(0);
    expect(setsOf({ wakeAt: 11_263 })).toBe(0);
    expect(setsOf({ wakeAt: 11_264 })).toBe(COMMIT_SETS.wakeSlot);
    const { change, status, terms, wakeSlot } = COMMIT_SETS;
    expect(setsOf({ message: 'no host' })).toBe(change);
    expect(setsOf({ status: 2 })).toBe(status + change);
    expect(setsOf({ status: 0, wakeAt: null })).toBe(status + change + wakeSlot + terms);
  });

  it('has the terms of its action as it is now, also after other tasks at the same step', () => {
    const { runs } = sampleTask();
    const at = (run: Partial<ActionRun>, more: Partial<Task> = {}): string | null => {
      const [first, second] = runs as [StepRuns, StepRuns];
      const normal = { ...first.normal, ...run };
      return termLines(sampleTask({}, { runs: [{ ...first, normal }, second], ...more }));
    };
    const heldBy = (owner: string): Partial<ActionRun> => {
      return { state: 'running', lease: { owner, token: 1 } };
    };
    const open = '\nstage:check\nstep:check\nmodule:resource\n';
    expect([at({}), at(heldBy('a')), at(heldBy('b')), at(heldBy('a')), at({})]).toEqual([
      open,
      `${open}owner:a\n`,
      `${open}owner:b\n`,
      `${open}owner:a\n`,
      open,
    ]);
    expect(at(heldBy('a'), { cursor: 1 })).toBe(`${open.replace('check', 'create')}owner:a\n`);
    expect(at({ state: 'failed' })).toBe('\nstage:check\n');
    expect(at({}, { outcome: 'terminated' })).toBeNull();
  });

  it('sends a large output once', () => {
    const { known } = stored(sampleTask());
    const [first, second] = known.task.runs;
    const output = { text: 'x'.repeat(5_000) };
    const done = { ...first!, normal: { ...first!.normal, output } };
    const write = commit(known, nextOf(known.task, { runs: [done, second!] }));
    expect(write.request[9]).toEqual([[0, JSON.stringify(output)]]);
    const again = { ...done, normal: { ...done.normal, dispatches: 5 } };
    const after = { ...write.known, row: 1 };
    const third = commit(after, nextOf(after.task, { runs: [again, second!] }));
    expect(third.request[9]).toBeNull();
    expect(third.request[6].length).toBeLessThan(1_000);
  });

  it('writes the journal anew when entries were left out in its middle', () => {
    const { known } = stored(eventfulTask());
    const { journal } = nextOf(known.task);
    const thinned = nextOf(known.task, { journal: Journal.of([journal.at(0)!, journal.at(-1)!]) });
    const write = commit(known, thinned);
    expect(write.request[8]).toBe(COMMIT_SETS.wholeJournal);
    expect(JSON.parse(`[${write.request[7].slice(0, -1)}]`)).toHaveLength(2);
  });

  it('writes the journal anew when the row keeps too much that the task has dropped', () => {
    const { known } = stored(sampleTask());
    const dropped = nextOf(known.task, { journal: Journal.of([]) });
    expect(commit({ ...known, journalStored: 1_000 }, dropped).request[8]).toBe(0);
    const write = commit({ ...known, journalStored: 1_001 }, dropped);
    expect([write.request[7], write.request[8], write.known.journalStored]).toEqual([
      '',
      COMMIT_SETS.wholeJournal,
      0,
    ]);
  });
});

function stored(task: Task): { row: StoredTask; known: KnownTask; shelf: StepShelf } {
  const shelf = new StepShelf();
  const { request, known } = encodeInsert(task, shelf);
  shelf.add(request[3], task.plan.steps);
  return { row: rowOf(request), known: { ...known, row: 1 }, shelf };
}

/** A task with two branches under way. */
function branchedTask(): Task {
  const steps = sampleTask().plan.steps.slice(0, 1);
  const parallel = ['a', 'b'].map((name) => ({ name, steps }));
  const step = { name: 's', needs: [], parallel, onBranchFailure: 'wait' as const };
  const nothing = { description: null, input: null, timeoutMs: null };
  const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
  const flow = { definition: { name: 'f', ...nothing, steps: [step] }, version: 1 };
  const { task } = createTask(flow, { parameters: {} }, { taskId: 't', moment });
  return { ...task, index: null };
}

/** The row that a reader finds after this insert. */
function rowOf(request: InsertRequest): StoredTask {
  const [, taskId, , stepsKey, , , plan, , , , revision, status, wakeAt, state, journal, outputs] =
    request;
  return [taskId, 1, revision, status, wakeAt, stepsKey, plan, state, journal, outputs ?? []];
}

function commit(
  base: KnownTask,
  next: Task,
): { request: CommitRequest; known: Omit<KnownTask, 'row'> } {
  return encodeCommit(base.task, next, base);
}
