import { randomUUID } from 'node:crypto';
import {
  type Action,
  type ActionRun,
  Journal,
  type JournalEntry,
  NO_SCOPES,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type StepPlan,
  type StepRuns,
  type Task,
  TASK_STATUS,
  type TaskPlan,
  type TaskStatus,
} from '#core';
import { SAMPLE_OF_FLOW } from './sample-of-flow.js';
import { sampleTickets } from './sample-locks.js';

/** The moment at which samples are created unless they say otherwise. */
export const SAMPLE_TIME = 1_763_700_000_000;

const ACTION: Action = {
  module: 'resource',
  command: 'check_resource',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: { attempts: 3, backoff: 'fixed', delayMs: 500, maxDelayMs: null, jitter: false },
  onCrash: { restarts: 3 },
  parameters: { zone: 'a' },
};

const STEPS: readonly StepPlan[] = [
  { name: 'check', needs: [], normal: ACTION, rollback: null },
  {
    name: 'create',
    needs: [0],
    normal: ACTION,
    rollback: { ...ACTION, command: 'drop', onCrash: 'fail' },
  },
];

const PENDING_RUNS: readonly StepRuns[] = [
  {
    generation: 1,
    normal: { ...PENDING_RUN, state: 'queued', dispatches: 1, orderAt: SAMPLE_TIME - 1_500 },
    rollback: null,
  },
  { generation: 1, normal: PENDING_RUN, rollback: NOTHING_TO_UNDO },
];

/** Defaults of the plan's members that most requests and flows leave out. */
const PLAIN_PLAN = {
  idempotencyKey: null,
  requestHash: null,
  deadline: null,
  traceparent: null,
  onFailure: 'rollback',
  constants: null,
  restartOf: null,
  parent: null,
  locks: null,
  failureFlow: null,
} as const;

/**
 * A task of two steps that was just created; nothing of it is shared with another one but its
 * steps. A status in `state` brings the fields of which it is computed.
 */
export function sampleTask(plan: Partial<TaskPlan> = {}, state: Partial<Task> = {}): Task {
  const createdAt = plan.createdAt ?? SAMPLE_TIME;
  const first: Task = {
    plan: {
      v: 1,
      taskId: randomUUID(),
      flow: 'create-instance',
      flowVersion: 1,
      createdAt,
      parameters: { size: 3, name: 'größe €' },
      labels: {},
      priority: 0,
      ...PLAIN_PLAN,
      steps: STEPS,
      ...plan,
    },
    revision: 1,
    status: 1,
    way: 'forward',
    turned: null,
    hold: null,
    paused: null,
    outcome: null,
    message: null,
    cursor: 0,
    startedAt: null,
    endedAt: null,
    resetAt: null,
    edits: [],
    wakeAt: createdAt + 5_000,
    token: 0,
    runs: PENDING_RUNS,
    scopes: NO_SCOPES,
    alert: null,
    doneActions: [],
    signals: [],
    locks: [],
    failureTask: null,
    hasSecrets: false,
    journal: Journal.of([{ seq: 1, at: createdAt, kind: 'created', actor: 'ann' }]),
    journalSeq: 1,
    reports: [],
    index: null,
  };
  return { ...first, ...standingOf(first, state.status), ...state };
}

type Standing = Pick<Task, 'way' | 'turned' | 'hold' | 'paused' | 'outcome'>;

const FORWARD: Standing = { way: 'forward', turned: null, hold: null, paused: null, outcome: null };
const BACK: Standing = {
  ...FORWARD,
  way: 'back',
  turned: {
    at: SAMPLE_TIME + 7,
    why: 'step_timed_out',
    message: 'step create: disk is full',
    cause: null,
    to: null,
    by: null,
  },
};

/** Fields of which each status is computed. */
const STANDINGS: Readonly<Record<TaskStatus, Standing>> = {
  [TASK_STATUS.not_started]: FORWARD,
  [TASK_STATUS.running]: FORWARD,
  [TASK_STATUS.succeeded]: { ...FORWARD, outcome: 'succeeded' },
  [TASK_STATUS.rolling_back]: BACK,
  [TASK_STATUS.rolled_back]: { ...BACK, outcome: 'rolled_back' },
  [TASK_STATUS.rollback_failed]: {
    ...BACK,
    hold: { why: 'rollback_failed', by: null, until: null },
  },
  [TASK_STATUS.on_hold]: {
    ...FORWARD,
    hold: { why: 'step_failed', by: null, until: SAMPLE_TIME + 99 },
  },
  [TASK_STATUS.terminated]: { ...BACK, outcome: 'terminated' },
  [TASK_STATUS.paused]: {
    ...FORWARD,
    paused: { at: SAMPLE_TIME + 9, by: 'änn', reason: 'the window is over' },
  },
};

/** Fields of a sample that is to have this status; none where no status is asked for. */
function standingOf(task: Task, status: TaskStatus | undefined): Partial<Task> {
  if (status === undefined) return {};
  const isStarted = status !== TASK_STATUS.not_started;
  return { ...STANDINGS[status], startedAt: isStarted ? (task.startedAt ?? SAMPLE_TIME) : null };
}

const LONG_STEPS: readonly StepPlan[] = Array.from({ length: 60 }, (_, n) => {
  const rollback = n % 2 === 0 ? null : { ...ACTION, command: 'drop' };
  return { name: `step-${n}`, needs: n === 0 ? [] : [n - 1], normal: ACTION, rollback };
});

/** A task of 60 steps one after another, about half of which are done; with a long journal. */
export function longTask(plan: Partial<TaskPlan> = {}): Task {
  const done: ActionRun = { ...PENDING_RUN, state: 'succeeded', attempts: 1, spent: 1 };
  const runs = LONG_STEPS.map(({ rollback }, n): StepRuns => {
    const output = n === 3 ? { text: 'x'.repeat(5_000) } : { n };
    const queued: ActionRun = { ...PENDING_RUN, state: 'queued', dispatches: 1 };
    const normal = n < 30 ? { ...done, output } : n === 30 ? queued : PENDING_RUN;
    const undo = rollback === null ? null : NOTHING_TO_UNDO;
    return { generation: n % 5 === 0 ? 3 : 1, normal, rollback: undo };
  });
  const task = sampleTask({ steps: LONG_STEPS, ...plan }, { runs, cursor: 30, status: 2 });
  return Array.from({ length: 90 }).reduce<Task>(
    (last) => ({ ...nextOf(last), revision: 1 }),
    task,
  );
}

/**
 * The task one commit later: revision and journal move on, besides what `change` says. A status in
 * it brings the fields of which it is computed.
 */
export function nextOf(task: Task, change: Partial<Task> = {}): Task {
  const seq = task.journalSeq + 1;
  const entry: JournalEntry = { seq, at: SAMPLE_TIME + seq, kind: 'started', step: 'check' };
  return {
    ...task,
    revision: task.revision + 1,
    journal: task.journal.with([entry]),
    journalSeq: seq,
    ...standingOf(task, change.status),
    ...change,
  };
}

/** The task after it has ended well. */
export function endedOf(task: Task): Task {
  return nextOf(task, { status: 0, wakeAt: null, endedAt: SAMPLE_TIME + 9_000 });
}

const ABOUT_CREATE = { step: 'create', direction: 'normal', attempt: 3 } as const;

const DONE = [
  { key: 'k1', action: 'rollback', at: SAMPLE_TIME + 3 },
  { key: null, action: 'retry', at: SAMPLE_TIME + 4 },
];

const JOURNAL: readonly JournalEntry[] = [
  { seq: 4, at: SAMPLE_TIME, kind: 'failed', ...ABOUT_CREATE, code: 'FAILED', refused: true },
  {
    seq: 5,
    at: SAMPLE_TIME,
    kind: 'failed',
    ...ABOUT_CREATE,
    stack: 'É\n    at a',
    intended: true,
  },
  { seq: 6, at: SAMPLE_TIME + 1, kind: 'rollback_requested', actor: 'ann', message: 'why' },
  { seq: 7, at: SAMPLE_TIME + 2, kind: 'retry_scheduled', dueAt: SAMPLE_TIME + 9, run: 'a~2' },
  { seq: 8, at: SAMPLE_TIME + 3, kind: 'skip_requested', ...ABOUT_CREATE, unapproved: true },
  { seq: 9, at: SAMPLE_TIME + 4, kind: 'started', ...ABOUT_CREATE, build: 'é@1' },
  {
    seq: 10,
    at: SAMPLE_TIME + 5,
    kind: 'succeeded',
    ...ABOUT_CREATE,
    creates: [{ type: 'vm', id: 'é "1"' }],
    released: [{ type: 'vm', id: '2' }],
  },
];

const CAUSE = { code: 'NO_HOST', step: 'créate', message: 'a "b"' };

const EDIT = {
  at: SAMPLE_TIME + 4,
  actor: 'ann ü',
  unseenBy: ['check', 'create~11'],
  winsIn: ['rollback créate'],
};

const WAS_RESET: Pick<Task, 'edits' | 'resetAt' | 'turned'> = {
  turned: {
    at: SAMPLE_TIME + 8,
    why: 'reset',
    message: 'by "ann"',
    ...{ cause: CAUSE, to: 1, by: 'ann ü' },
    children: { run: 'create ü#1', index: 3, isDone: true },
  },
  resetAt: SAMPLE_TIME + 6,
  edits: [
    { ...EDIT, values: { size: 4, deep: { list: [1, null] } }, before: { size: 3 } },
    { ...EDIT, values: {}, before: {}, unseenBy: [], winsIn: [] },
  ],
};

const SAMPLE_REPORTS: Task['reports'] = [
  { token: 6, hash: 'ab12', status: 2, late: 'superseded' },
  { token: 7, hash: 'cd34', status: 2 },
];

const SAID = {
  signals: [{ name: 'gö', payload: { 'a.b': { $c: 1 } } }],
  locks: sampleTickets(SAMPLE_TIME),
  failureTask: { taskId: 'ü-1', message: 'a "b"', looks: 3, dueAt: SAMPLE_TIME + 5 },
  hasSecrets: true,
  reports: SAMPLE_REPORTS,
};

const DISK_FULL = { code: 2, error: 'NO_HOST', message: 'disk "sda"\nis full' };

const SAMPLE_LEASE: ActionRun['lease'] = {
  owner: 'host-1',
  token: 7,
  terms: {
    lengthMs: 30_000,
    reportBy: SAMPLE_TIME + 40_000,
    isHeld: true,
    isCancelled: true,
    unheld: 2,
    poll: 'ü-poll',
    since: SAMPLE_TIME + 9,
  },
};

const LOST_CLAIMS: Pick<ActionRun, 'expired' | 'unheld'> = {
  unheld: 1,
  expired: {
    token: 6,
    isHandedBack: true,
    unheld: 3,
    counted: { attempts: 4, spent: 3, crashes: 2, unheld: 1 },
  },
};

const SENT = { taskId: 'alert-2', sentAt: SAMPLE_TIME + 30 };
const ALERT = { number: 2, ...SENT, looks: 0, dueAt: SAMPLE_TIME + 40 };

/** A task in which every field differs from its first value. */
export function eventfulTask(): Task {
  const normal: ActionRun = {
    state: 'running',
    ...DISK_FULL,
    startedAt: SAMPLE_TIME + 10,
    endedAt: SAMPLE_TIME + 20,
    attempts: 4,
    refused: 1,
    spent: 3,
    crashes: 2,
    dispatches: 2,
    dueAt: SAMPLE_TIME + 15,
    orderAt: SAMPLE_TIME - 20_000,
    deadline: SAMPLE_TIME + 60_000,
    expiresAt: SAMPLE_TIME + 50_000,
    look: 'last',
    lease: SAMPLE_LEASE,
    output: { host: 'h1', list: [1, null, { a: '' }] },
    values: { 'a.b': '$x', list: [1, null, { a: '' }] },
    ...LOST_CLAIMS,
  };
  const plan: Partial<TaskPlan> = {
    ...SAMPLE_OF_FLOW,
    only: { step: 'create', given: { check: { 'a.$b': [1, {}] } } },
    labels: { team: 'db', 'a.b': '$x', '': 'empty key' },
    priority: 30,
    idempotencyKey: `key-${randomUUID()}`,
    requestHash: 'ab12',
    deadline: SAMPLE_TIME + 99_000,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  };
  return sampleTask(plan, {
    status: 5,
    ...SAID,
    ...WAS_RESET,
    message: 'step create: disk is full',
    cursor: 1,
    startedAt: SAMPLE_TIME + 10,
    endedAt: SAMPLE_TIME + 20,
    token: 7,
    runs: [
      { generation: 1, normal: { ...normal, lease: null, state: 'succeeded' }, rollback: null },
      { generation: 12, normal, rollback: { ...PENDING_RUN, state: 'pending' } },
    ],
    alert: ALERT,
    doneActions: DONE,
    journal: Journal.of(JOURNAL),
    journalSeq: 8,
  });
}
