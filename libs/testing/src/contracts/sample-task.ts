import { randomUUID } from 'node:crypto';
import { NOTHING_TO_UNDO, PENDING_RUN } from '#core';
import type { Action, ActionRun, JournalEntry, StepPlan, StepRuns, Task, TaskPlan } from '#core';

/** The moment at which samples are created unless they say otherwise. */
export const SAMPLE_TIME = 1_763_700_000_000;

const ACTION: Action = {
  module: 'resource',
  command: 'check_resource',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: { attempts: 3, backoff: 'fixed', delayMs: 500, maxDelayMs: null, jitter: false },
  parameters: { zone: 'a' },
};

const STEPS: readonly StepPlan[] = [
  { name: 'check', needs: [], normal: ACTION, rollback: null },
  { name: 'create', needs: [0], normal: ACTION, rollback: { ...ACTION, command: 'drop' } },
];

const PENDING_RUNS: readonly StepRuns[] = [
  { normal: { ...PENDING_RUN, state: 'queued', dispatches: 1 }, rollback: null },
  { normal: PENDING_RUN, rollback: NOTHING_TO_UNDO },
];

/**
 * A task of two steps that was just created; nothing of it is shared with another one but its
 * steps.
 */
export function sampleTask(plan: Partial<TaskPlan> = {}, state: Partial<Task> = {}): Task {
  const createdAt = plan.createdAt ?? SAMPLE_TIME;
  return {
    plan: {
      v: 1,
      taskId: randomUUID(),
      flow: 'create-instance',
      flowVersion: 1,
      createdAt,
      parameters: { size: 3, name: 'größe €' },
      labels: {},
      priority: 0,
      idempotencyKey: null,
      requestHash: null,
      deadline: null,
      traceparent: null,
      steps: STEPS,
      ...plan,
    },
    revision: 1,
    status: 1,
    message: null,
    cursor: 0,
    startedAt: null,
    endedAt: null,
    wakeAt: createdAt + 5_000,
    token: 0,
    runs: PENDING_RUNS,
    alert: null,
    alertStep: null,
    doneActions: [],
    journal: [{ seq: 1, at: createdAt, kind: 'created', actor: 'ann' }],
    journalSeq: 1,
    ...state,
  };
}

/** The task one commit later: revision and journal move on, besides what `change` says. */
export function nextOf(task: Task, change: Partial<Task> = {}): Task {
  const seq = task.journalSeq + 1;
  const entry: JournalEntry = { seq, at: SAMPLE_TIME + seq, kind: 'started', step: 'check' };
  return {
    ...task,
    revision: task.revision + 1,
    journal: [...task.journal, entry],
    journalSeq: seq,
    ...change,
  };
}

/** The task after it has ended well. */
export function endedOf(task: Task): Task {
  return nextOf(task, { status: 0, wakeAt: null, endedAt: SAMPLE_TIME + 9_000 });
}

/** A task in which every field differs from its first value. */
export function eventfulTask(): Task {
  const lease = { owner: 'host-1', token: 7, until: SAMPLE_TIME + 30_000 };
  const normal: ActionRun = {
    state: 'running',
    code: 2,
    message: 'disk "sda"\nis full',
    startedAt: SAMPLE_TIME + 10,
    endedAt: SAMPLE_TIME + 20,
    attempts: 4,
    spent: 3,
    dispatches: 2,
    dueAt: SAMPLE_TIME + 15,
    deadline: SAMPLE_TIME + 60_000,
    look: 'last',
    lease,
    output: { host: 'h1', list: [1, null, { a: '' }] },
  };
  const plan: Partial<TaskPlan> = {
    labels: { team: 'db', 'a.b': '$x', '': 'empty key' },
    priority: 30,
    idempotencyKey: `key-${randomUUID()}`,
    requestHash: 'ab12',
    deadline: SAMPLE_TIME + 99_000,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  };
  return sampleTask(plan, {
    status: 3,
    message: 'step create: disk is full',
    cursor: 1,
    startedAt: SAMPLE_TIME + 10,
    endedAt: SAMPLE_TIME + 20,
    token: 7,
    runs: [
      { normal: { ...normal, lease: null, state: 'succeeded' }, rollback: null },
      { normal, rollback: { ...PENDING_RUN, state: 'pending' } },
    ],
    alert: { ...PENDING_RUN, state: 'waiting', attempts: 2, dueAt: SAMPLE_TIME + 40 },
    alertStep: 1,
    doneActions: [{ key: 'k1', action: 'rollback' }],
    journal: [
      { seq: 4, at: SAMPLE_TIME, kind: 'failed', step: 'create', direction: 'normal', attempt: 3 },
      { seq: 5, at: SAMPLE_TIME + 1, kind: 'rollback_requested', actor: 'ann', message: 'why' },
    ],
    journalSeq: 5,
  });
}
