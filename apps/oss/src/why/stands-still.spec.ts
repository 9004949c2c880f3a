import { describe, expect, it } from '@jest/globals';
import {
  type ActionRun,
  DEFAULT_TIMING,
  type FlowOfTask,
  PENDING_RUN,
  type RunState,
  type StepPlan,
  type StepRuns,
  type Task,
  TASK_STATUS,
  type TaskEvent,
  type TaskStatus,
} from '#core';
import { createTask, transition } from '#core/transitions';
import { chain, flow } from '#testing';
import type { OssOptions } from '../options.js';
import { FamilyStill, standsStill } from './stands-still.js';

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

/** A task of steps that all start at once, after these events. */
function after(steps: readonly StepPlan[], ...events: readonly TaskEvent[]): Task {
  const of = { definition: flow(steps), version: 1 };
  const { task } = createTask(of, { parameters: {} }, { taskId: 't', moment });
  return events.reduce((before, event) => {
    const decision = transition(before, event, { moment });
    if (decision.kind !== 'moved') throw new Error(`${event.kind} did not move the task`);
    return decision.task;
  }, task);
}

const REF = { direction: 'normal', step: 0 } as const;
const CLAIMED: TaskEvent = { kind: 'claimed', ...REF, attempt: 1, owner: 'p' };
const LATER: TaskEvent = { kind: 'completes_later', ...REF, token: 1, timeoutMs: 90_000 };
const PAUSE: TaskEvent = { kind: 'pause_requested', actor: 'ann', reason: 'r', key: null };
const DONE: TaskEvent = { kind: 'succeeded', ...REF, token: 1, output: null };

describe('a paused task', () => {
  const { steps } = chain(['a', 'b']);

  it('stands still once nothing of it runs', () => {
    expect(standsStill(after(steps, PAUSE))).toBe(true);
    expect(standsStill(after(steps, CLAIMED, PAUSE))).toBe(false);
    expect(standsStill(after(steps, CLAIMED, PAUSE, DONE))).toBe(true);
  });
});

describe('a task that waits', () => {
  const head = { needs: [], rollback: null };
  const limit = { timeoutMs: null, onTimeout: 'fail' } as const;
  const approval = { ...head, name: 'ask', approve: { title: 'Sure?', roles: [], ...limit } };
  const signal = { ...head, name: 'paid', wait: { signal: 'paid', ...limit } };
  const brief = { ...head, name: 'brief', wait: { signal: 'go', ...limit, timeoutMs: 9 } };
  const rest = { ...head, name: 'rest', wait: { for: 60_000 } };
  const open = { ...head, name: 'open', set: { n: '{% n %}' } };
  const held: StepPlan = {
    ...{ name: 'both', needs: [] },
    ...{ parallel: [{ name: 'x', steps: [approval] }], onBranchFailure: 'cancel' },
  };
  const [work] = chain(['a']).steps as [StepPlan];
  const family = new FamilyStill({} as Pick<OssOptions, 'children' | 'store'>);

  it.each([
    ['an approval', [approval], [], true],
    ['a signal and an approval in a step', [signal, held], [], true],
    ['a signal for a while', [brief], [], false],
    ['a time', [rest], [], false],
    ['an approval and a time', [approval, rest], [], false],
    ['an approval and the value of an expression', [approval, open], [], false],
    ['an approval, beside a command', [work, approval], [CLAIMED], false],
    ['an approval and a completion from outside', [work, approval], [CLAIMED, LATER], false],
  ] as const)('stands still until a person acts: %s', async (...[, steps, events, stands]) => {
    expect(await family.isStill(after(steps, ...events))).toBe(stands);
  });

  it('stands still for as long as its time to answer is not over', async () => {
    const task = after([brief]);
    const sources = {} as Pick<OssOptions, 'children' | 'store'>;
    const still = [1_009, 1_010].map((until) => new FamilyStill(sources, until).isStill(task));
    expect(await Promise.all(still)).toEqual([true, false]);
  });
});
