import { describe, expect, it } from '@jest/globals';
import type { StepPlan } from '../flow/flow.js';
import { openActions } from '../scopes/task-index.js';
import { type ActionRun, NOTHING_TO_UNDO, PENDING_RUN } from '../task/action-run.js';
import { DEFAULT_TIMING } from '../task/event.js';
import type { Task } from '../task/task.js';
import { createTask } from '../transitions/create-task.js';
import { searchTermsOf } from './search-terms.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };

function command(module: string): NonNullable<StepPlan['normal']> {
  return { module, command: 'c', parameters: {} } as unknown as NonNullable<StepPlan['normal']>;
}

type Half = Partial<ActionRun> | null;

/** A running task of steps without needs, `a`, `b` and so on, whose undo is of module `undo`. */
function taskOf(runs: readonly (readonly [normal: Half, rollback?: Half])[]): Task {
  const steps = runs.map((_, n): StepPlan => {
    const name = String.fromCodePoint('a'.codePointAt(0)! + n);
    return { name, needs: [], normal: command(`m-${name}`), rollback: command('undo') };
  });
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const flow = { definition, version: 1 };
  const { task } = createTask(flow, { parameters: {} }, { taskId: 't', moment });
  const played = runs.map(([normal, rollback]) => ({
    generation: 1,
    normal: { ...PENDING_RUN, ...normal },
    rollback: { ...NOTHING_TO_UNDO, ...rollback },
  }));
  return { ...task, runs: played, index: null };
}

const HOLD = { why: 'step_failed', by: null, until: null } as const;

describe('the terms by which an unfinished task is found', () => {
  it.each(['queued', 'running', 'waiting'] as const)('have a step that is %s', (state) => {
    const task = taskOf([[{ state: 'succeeded' }], [{ state }], [null]]);
    expect(searchTermsOf({ ...task, cursor: 1 })).toEqual(['stage:b', 'step:b', 'module:m-b']);
  });

  it('have the module that undoes a step', () => {
    const task = taskOf([[{ state: 'succeeded' }, { state: 'running' }]]);
    expect(searchTermsOf({ ...task, way: 'back' })).toEqual(['stage:a', 'step:a', 'module:undo']);
  });

  it('have every step that is under way beside the one at the cursor', () => {
    const task = { ...taskOf([[{ state: 'running' }], [{ state: 'waiting' }]]), cursor: 0 };
    const others = ['step:b', 'module:m-b'];
    expect(searchTermsOf(task)).toEqual(['stage:a', 'step:a', 'module:m-a', ...others]);
    const [, second] = openActions(task);
    expect(searchTermsOf(task, [second!])).toEqual(['stage:a', ...others]);
  });

  it('have what has failed only as long as the task waits for a person', () => {
    const runs = [[{ state: 'failed' }], [{ state: 'succeeded' }, { state: 'failed' }]] as const;
    const task = { ...taskOf(runs), cursor: 0 };
    expect(searchTermsOf(task)).toEqual(['stage:a']);
    const held = { ...task, hold: HOLD };
    const expected = ['stage:a', 'step:a', 'module:m-a', 'step:b', 'module:undo'];
    expect(searchTermsOf(held)).toEqual(expected);
  });

  it('are none once it has ended', () => {
    expect(searchTermsOf({ ...taskOf([[{ state: 'running' }]]), outcome: 'terminated' })).toEqual(
      [],
    );
  });

  it('are a hundred at most', () => {
    const task = taskOf(Array.from({ length: 300 }, () => [{ state: 'running' }] as const));
    expect(searchTermsOf(task)).toHaveLength(99);
  });
});
