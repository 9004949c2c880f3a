import { describe, expect, it } from '@jest/globals';
import {
  type ActionRun,
  DEFAULT_TIMING,
  type FlowOfTask,
  PENDING_RUN,
  type RunState,
  type StepRuns,
  type Task,
  TASK_STATUS,
  type TaskStatus,
} from '#core';
import { createTask } from '#core/transitions';
import { chain } from '#testing';
import { standsStill } from './stands-still.js';

const { rollback_failed, rolled_back, rolling_back } = TASK_STATUS;

const LEASE = { owner: 'p', until: null } as unknown as ActionRun['lease'];

const run = (state: RunState): ActionRun => {
  return { ...PENDING_RUN, state, lease: state === 'running' ? LEASE : null };
};

/** Steps with these states: `[normal, rollback]`. */
function runsOf(...states: readonly (readonly [RunState, RunState | null])[]): StepRuns[] {
  return states.map(([normal, rollback]) => {
    const undo = rollback === null ? null : run(rollback);
    return { generation: 1, normal: run(normal), rollback: undo };
  });
}

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };

/** A flow of so many steps. */
function flowOf(count: number): FlowOfTask {
  const names = Array.from({ length: count }, (_, n) => `step-${n}`);
  return { definition: chain(names), version: 1 };
}

describe('a task for which somebody waits', () => {
  it.each([
    ['is final', rolled_back, runsOf(['succeeded', 'succeeded']), true],
    ['goes back', rolling_back, runsOf(['succeeded', 'pending']), false],
    [
      'waits for a person, and something waits for it',
      rollback_failed,
      runsOf(['succeeded', 'pending'], ['succeeded', 'failed'], ['failed', null]),
      true,
    ],
    [
      'waits for a person beside a rollback at work',
      rollback_failed,
      runsOf(['succeeded', 'running'], ['succeeded', 'failed']),
      false,
    ],
    [
      'waits for a person beside a rollback that is tried again',
      rollback_failed,
      runsOf(['succeeded', 'waiting'], ['succeeded', 'failed']),
      false,
    ],
    [
      'waits for a person beside a step that has not stopped yet',
      rollback_failed,
      runsOf(['running', 'none'], ['succeeded', 'failed']),
      false,
    ],
  ] as const)('%s', (...[, status, runs, stands]) => {
    const task = createTask(flowOf(runs.length), { parameters: {} }, { taskId: 't', moment }).task;
    expect(standsStill({ ...task, status, runs, hold: holdOf(status) })).toBe(stands);
  });
});

function holdOf(status: TaskStatus): Task['hold'] {
  return status === TASK_STATUS.rollback_failed ? HOLD : null;
}

const HOLD = { why: 'rollback_failed', by: null, until: null } as const;

describe('a task on hold', () => {
  const { task } = createTask(flowOf(0), { parameters: {} }, { taskId: 't', moment });
  const held = { ...task, status: TASK_STATUS.on_hold };

  it('stands still until a person acts', () => {
    expect(standsStill({ ...held, hold: { ...HOLD, why: 'step_failed' } })).toBe(true);
  });

  it('does not where it rolls back by itself', () => {
    const hold = { why: 'step_failed', by: null, until: 9 } as const;
    expect(standsStill({ ...held, hold })).toBe(false);
  });
});
