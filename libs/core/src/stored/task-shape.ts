import type { StarterLimits, StartLimits } from '../flow/start-limits.js';
import { Journal, type JournalEntry } from '../task/journal.js';
import type { ParentOfTask } from '../task/parent.js';
import { runsFault, turnFault, WAY } from './run-shape.js';
import {
  COUNT,
  DATE,
  DocumentFault,
  faultIn,
  FINITE,
  FLAG,
  LIST,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orAbsent,
  orNull,
  type Rule,
  type Rules,
  rulesOf,
  TEXT,
  TEXT_LIST,
  TEXTS,
} from '../json/shape.js';
import { type Hold, type Pause, statusOf } from '../task/status.js';
import { stepsFault } from './step-shape.js';
import type { EarlySignal } from '../task/signals.js';
import type {
  DoneAction,
  Edit,
  Alert,
  FailureTask,
  OnlyStep,
  Task,
  TaskPlan,
  TaskStarter,
} from '../task/task.js';
import { sleepFault, STATUS } from './task-summary.js';
import { wakeTime } from '../scopes/wake.js';
import type { LockTicket } from '../task/lock-ticket.js';

const ON_FAILURE: Rule = {
  means: 'rollback or how long to hold',
  holds: (value) => value === 'rollback' || (OBJECT.holds(value) && hasHoldMs(value)),
};

function hasHoldMs(value: unknown): boolean {
  return orNull(MOMENT).holds((value as { holdMs?: unknown }).holdMs);
}

const PLAN = rulesOf<TaskPlan>({
  v: oneOf([1], 'a format that this version knows'),
  taskId: TEXT,
  flow: TEXT,
  flowVersion: NUMBERED,
  createdAt: DATE,
  parameters: OBJECT,
  labels: TEXTS,
  priority: FINITE,
  idempotencyKey: orNull(TEXT),
  requestHash: orNull(TEXT),
  deadline: orNull(MOMENT),
  traceparent: orNull(TEXT),
  onFailure: ON_FAILURE,
  constants: orNull(OBJECT),
  restartOf: orNull(TEXT),
  parent: orNull(OBJECT),
  locks: orNull(LIST),
  failureFlow: orNull(TEXT),
  only: orAbsent(OBJECT),
  references: orAbsent(TEXT_LIST),
  limits: orAbsent(OBJECT),
  starter: orAbsent(OBJECT),
  steps: LIST,
});

/** Its entries are looked at apart. */
const JOURNAL: Rule = { holds: (value) => value instanceof Journal, means: 'a list' };

// The index is not stored: it follows from the rest.
const STATE = rulesOf<Omit<Task, 'plan' | 'index'>>({
  revision: NUMBERED,
  status: STATUS,
  way: WAY,
  turned: orNull(OBJECT),
  hold: orNull(OBJECT),
  paused: orNull(OBJECT),
  outcome: orNull(oneOf(['succeeded', 'rolled_back', 'terminated'], 'an outcome')),
  message: orNull(TEXT),
  cursor: COUNT,
  startedAt: orNull(MOMENT),
  endedAt: orNull(MOMENT),
  resetAt: orNull(MOMENT),
  edits: LIST,
  wakeAt: orNull(MOMENT),
  token: COUNT,
  runs: LIST,
  scopes: LIST,
  alert: orNull(OBJECT),
  doneActions: LIST,
  signals: LIST,
  locks: LIST,
  failureTask: orNull(OBJECT),
  hasSecrets: orAbsent(FLAG),
  journal: JOURNAL,
  journalSeq: COUNT,
});

const PARENT = rulesOf<ParentOfTask>({
  taskId: TEXT,
  run: TEXT,
  index: COUNT,
  item: orAbsent(COUNT),
  isPart: FLAG,
  depth: NUMBERED,
  root: orAbsent(TEXT),
});
const ONLY = rulesOf<OnlyStep>({ step: TEXT, given: OBJECT });
const LIMITS = rulesOf<StartLimits>({ starters: orAbsent(LIST), secretsUntil: orAbsent(DATE) });
const BOUND = rulesOf<StarterLimits>({ flows: orNull(TEXT_LIST), modules: orNull(TEXT_LIST) });
const STARTER = rulesOf<TaskStarter>({ name: TEXT, keyId: TEXT, madeBy: orAbsent(TEXT) });
const DONE = rulesOf<DoneAction>({ key: orNull(TEXT), action: TEXT, at: MOMENT });
const HOLD = rulesOf<Hold>({
  why: oneOf(['rollback_failed', 'step_failed', 'requested'], 'a reason to wait'),
  by: orNull(TEXT),
  until: orNull(MOMENT),
});
const PAUSE = rulesOf<Pause>({ at: MOMENT, by: TEXT, reason: TEXT });
const EDIT = rulesOf<Edit>({
  at: MOMENT,
  actor: TEXT,
  values: OBJECT,
  before: OBJECT,
  unseenBy: TEXT_LIST,
  winsIn: TEXT_LIST,
});
const TICKET = rulesOf<LockTicket>({
  number: NUMBERED,
  step: orNull(COUNT),
  run: orNull(TEXT),
  locks: orNull(LIST),
  since: MOMENT,
  heldAt: orNull(MOMENT),
  looks: COUNT,
  dueAt: orNull(MOMENT),
});
const FAILURE_TASK = rulesOf<FailureTask>({
  taskId: orNull(TEXT),
  message: orNull(TEXT),
  looks: NUMBERED,
  dueAt: orNull(MOMENT),
});
const ALERT = rulesOf<Alert>({
  number: COUNT,
  taskId: orNull(TEXT),
  sentAt: orNull(MOMENT),
  looks: COUNT,
  dueAt: orNull(MOMENT),
});
const SIGNAL = rulesOf<EarlySignal>({ name: TEXT, payload: OBJECT });
const ENTRY = rulesOf<Pick<JournalEntry, 'seq' | 'at' | 'kind'>>({
  seq: NUMBERED,
  at: DATE,
  kind: TEXT,
});

/**
 * Why a document that was read cannot be a task; null: it can be one, and nothing that is decided
 * on it meets a member of the wrong kind. Cheap: no content of users is looked into.
 */
export function taskFault(task: Task): string | null {
  const { starter } = task.plan;
  return (
    faultIn(PLAN, task.plan, 'plan.') ??
    (task.plan.parent === null ? null : faultIn(PARENT, task.plan.parent, 'plan.parent.')) ??
    (task.plan.only === undefined ? null : faultIn(ONLY, task.plan.only, 'plan.only.')) ??
    limitsFault(task.plan.limits) ??
    (starter === undefined ? null : faultIn(STARTER, starter, 'plan.starter.')) ??
    faultIn(STATE, task, '') ??
    standingFault(task) ??
    stepsFault(task.plan.steps) ??
    runsFault(task) ??
    (task.alert === null ? null : faultIn(ALERT, task.alert, 'alert.')) ??
    listFault(EDIT, task.edits, 'edits') ??
    listFault(DONE, task.doneActions, 'doneActions') ??
    listFault(SIGNAL, task.signals, 'signals') ??
    listFault(TICKET, task.locks, 'locks') ??
    (task.failureTask === null ? null : faultIn(FAILURE_TASK, task.failureTask, 'failureTask.')) ??
    listFault(ENTRY, task.journal.entries(), 'journal') ??
    sleepFault(task) ??
    standstillFault(task)
  );
}

/** The task, if it can be one. Throws `DocumentFault`. */
export function checkTask(task: Task): Task {
  const fault = taskFault(task);
  if (fault !== null) throw new DocumentFault(fault);
  return task;
}

/** Why a value cannot be limits: its members would be believed. */
export function limitsFault(limits: StartLimits | undefined): string | null {
  if (limits === undefined) return null;
  const fault = faultIn(LIMITS, limits, 'plan.limits.');
  return fault ?? listFault(BOUND, limits.starters ?? [], 'plan.limits.starters');
}

function standingFault(task: Task): string | null {
  const { hold, paused, status } = task;
  const fault =
    turnFault(task, '') ??
    (hold === null ? null : faultIn(HOLD, hold, 'hold.')) ??
    (paused === null ? null : faultIn(PAUSE, paused, 'paused.'));
  if (fault !== null) return fault;
  return status === statusOf(task)
    ? null
    : 'status is not what way, hold, paused and outcome make it';
}

function listFault(rules: Rules, items: readonly unknown[], name: string): string | null {
  for (let n = 0; n < items.length; n += 1) {
    const fault = faultIn(rules, items[n], `${name}[${n}].`);
    if (fault !== null) return fault;
  }
  return null;
}

/** Something of a live task is under way, or nothing would ever move it. */
function standstillFault(task: Task): string | null {
  const due = wakeTime(task);
  if (due === Infinity) return 'nothing of a live task is under way';
  const isForgotten = due !== null && task.wakeAt === null;
  return isForgotten ? 'wakeAt is missing while the task is live' : null;
}
