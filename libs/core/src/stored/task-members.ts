import type { StarterLimits, StartLimits } from '../flow/start-limits.js';
import type { LockPlan } from '../flow/lock-plan.js';
import {
  COUNT,
  DATE,
  FINITE,
  FLAG,
  isObject,
  LIST,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orNull,
  type Rule,
  TEXT,
  TEXTS,
} from '../json/shape.js';
import {
  type ActionRun,
  type Lease,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type RunState,
  type StepRuns,
} from '../task/action-run.js';
import { type Direction, Journal, JOURNAL_KINDS } from '../task/journal.js';
import type { JournalEntry, Resource } from '../task/journal.js';
import { type LockTicket, NO_LOCKS } from '../task/lock-ticket.js';
import type { ExpiredClaim, LeaseTerms, RunCounts } from '../task/lease-terms.js';
import type { ParentOfTask } from '../task/parent.js';
import { type Cause, NO_SCOPES, type Scope, type Turn } from '../task/scope.js';
import type { EarlySignal } from '../task/signals.js';
import { type Hold, type Pause, TASK_STATUS } from '../task/status.js';
import type {
  Alert,
  DoneAction,
  Edit,
  FailureTask,
  OnlyStep,
  Task,
  TaskOrigin,
  TaskPlan,
  TaskStarter,
} from '../task/task.js';
import { type KnownReport, LOST_REASONS, NO_REPORTS } from '../task/worker-report.js';
import {
  apart,
  flag,
  type Form,
  formOf,
  holding,
  json,
  list,
  moment,
  nullable,
  object,
  optional,
  plain,
  text,
  time,
  unless,
  word,
} from './form.js';

/**
 * The members of a task and of its parts: everything that is stored of them. SQLite's rows,
 * MongoDB's documents, snapshots, archives and the checks of what was read follow from these
 * tables. A new member is a line at the end of its table.
 */

/** Texts that no user writes: ids and names. */
const id = plain<string>(TEXT);
const count = plain<number>(COUNT);
const numbered = plain<number>(NUMBERED);
const yes = optional(plain<true>(FLAG));

const ON_FAILURE: Rule = {
  means: 'rollback or how long to hold',
  holds: (value) => value === 'rollback' || (isObject(value) && mayBeHeld(value['holdMs'])),
};

function mayBeHeld(holdMs: unknown): boolean {
  return orNull(MOMENT).holds(holdMs);
}

const PARENT = formOf<ParentOfTask>({
  taskId: id,
  run: id,
  index: count,
  item: optional(count),
  isPart: plain(FLAG),
  depth: numbered,
  root: optional(id),
});

const LOCK = formOf<LockPlan>({ name: text, slots: count });
const ONLY = formOf<OnlyStep>({ step: id, given: json() });
const STARTER = formOf<TaskStarter>({ name: text, keyId: text, madeBy: optional(text) });
const ORIGIN = formOf<TaskOrigin>({
  requestId: optional(text),
  client: optional(text),
  operator: optional(text),
});
const BOUND = formOf<StarterLimits>({ flows: nullable(list(text)), modules: nullable(list(text)) });

/** The limits of a task. */
export const LIMITS = formOf<StartLimits>({
  starters: optional(list(object(BOUND))),
  secretsUntil: optional(moment(DATE)),
});

/** The plan of a task; its steps are the same for all tasks of a flow version. */
export const PLAN = formOf<TaskPlan>({
  v: plain(oneOf([1], 'a format that this version knows')),
  taskId: id,
  flow: id,
  flowVersion: numbered,
  createdAt: moment(DATE),
  parameters: json(),
  labels: plain(TEXTS),
  priority: plain(FINITE),
  idempotencyKey: nullable(text),
  requestHash: nullable(text),
  deadline: nullable(moment()),
  traceparent: nullable(text),
  onFailure: unless(plain(ON_FAILURE), 'rollback'),
  constants: nullable(json()),
  restartOf: nullable(id),
  parent: nullable(object(PARENT)),
  locks: nullable(list(object(LOCK))),
  failureFlow: nullable(id),
  only: optional(object(ONLY)),
  references: optional(list(text)),
  limits: optional(object(LIMITS)),
  starter: optional(object(STARTER)),
  onTimeout: optional(plain(oneOf(['wait'], 'wait'))),
  origin: optional(object(ORIGIN)),
  steps: apart(LIST),
});

const RUN_STATES: readonly RunState[] = [
  ...(['pending', 'queued', 'running', 'waiting', 'succeeded'] as const),
  ...(['failed', 'timed_out', 'skipped', 'none', 'terminated'] as const),
];
const LOOKS: readonly ActionRun['look'][] = ['none', 'again', 'last', 'outside'];
const TERMS = formOf<LeaseTerms>({
  lengthMs: count,
  reportBy: moment(),
  isHeld: flag,
  isCancelled: flag,
  unheld: unless(count, 0),
  poll: nullable(text),
  since: moment(),
});
const LEASE = formOf<Lease>({ owner: id, token: count, terms: optional(object(TERMS)) });
const COUNTS = formOf<RunCounts>({
  attempts: unless(count, 0),
  spent: unless(count, 0),
  crashes: unless(count, 0),
  unheld: unless(count, 0),
});
const EXPIRED = formOf<ExpiredClaim>({
  token: count,
  isHandedBack: flag,
  unheld: unless(count, 0),
  counted: object(COUNTS),
});

/** The run of an action. Runs that have not begun are known by identity, and are most of them. */
export const RUN = formOf<ActionRun>(
  {
    state: word(RUN_STATES, oneOf(RUN_STATES, 'a state of the table')),
    code: unless(count, 0),
    error: nullable(text),
    message: nullable(text),
    startedAt: nullable(moment()),
    endedAt: nullable(moment()),
    attempts: unless(count, 0),
    refused: unless(count, 0),
    spent: unless(count, 0),
    crashes: unless(count, 0),
    dispatches: unless(count, 0),
    dueAt: nullable(moment()),
    orderAt: nullable(time(FINITE)),
    deadline: nullable(moment()),
    look: unless(word(LOOKS, oneOf(LOOKS, 'a kind of look')), 'none'),
    lease: nullable(object(LEASE)),
    output: nullable(json()),
    values: nullable(json()),
    unheld: unless(count, 0),
    expired: nullable(object(EXPIRED)),
    expiresAt: nullable(moment()),
  },
  [PENDING_RUN, NOTHING_TO_UNDO],
);

/** Both halves of a step. */
export const RUNS = formOf<StepRuns>({
  generation: unless(numbered, 1),
  normal: object(RUN),
  rollback: nullable(object(RUN)),
});

const WAYS = ['forward', 'back'] as const;
const TURNED_BY = [
  'step_failed',
  'step_timed_out',
  'task_timed_out',
  'scope_timed_out',
  'requested',
  'reset',
  'called_off',
  'undone',
  'hold_ended',
  'retried',
] as const;
const CHILDREN_ANEW: Rule = {
  holds: (value) => {
    if (!isObject(value)) return value === 'failed';
    return TEXT.holds(value['run']) && COUNT.holds(value['index']);
  },
  means: 'child tasks that are begun anew',
};
const CAUSE = formOf<Cause>({ code: text, step: text, message: text });
const TURN = formOf<Turn>({
  at: moment(),
  why: word(TURNED_BY, oneOf(TURNED_BY, 'a reason to turn back')),
  message: text,
  cause: nullable(object(CAUSE)),
  to: nullable(count),
  children: optional(plain(CHILDREN_ANEW)),
  by: nullable(text),
});
const WAY = unless(word(WAYS, oneOf(WAYS, 'a direction')), 'forward');

const SCOPE_KINDS = ['try', 'case', 'branch', 'round', 'catch', 'children', 'dynamic'] as const;
const STAGES = ['open', 'done', 'clean'] as const;

/** A scope below the task. */
export const SCOPE = formOf<Scope>({
  kind: word(SCOPE_KINDS, oneOf(SCOPE_KINDS, 'a kind of scope that this build knows')),
  holder: count,
  list: count,
  round: count,
  first: numbered,
  way: WAY,
  turned: nullable(object(TURN)),
  stage: word(STAGES, oneOf(STAGES, 'a stage of a scope')),
  values: nullable(json()),
});

const DIRECTIONS: readonly Direction[] = ['normal', 'rollback'];

/** An entry of a journal. A kind that a newer build writes is left as it is. */
const RESOURCES = optional(list(object(formOf<Resource>({ type: text, id: text }))));
export const ENTRY = formOf<JournalEntry>({
  seq: numbered,
  at: moment(DATE),
  kind: word(JOURNAL_KINDS, TEXT),
  step: optional(text),
  run: optional(text),
  direction: optional(word(DIRECTIONS, TEXT)),
  attempt: optional(count),
  actor: optional(text),
  message: optional(text),
  code: optional(plain(TEXT)),
  stack: optional(text),
  intended: yes,
  dueAt: optional(moment()),
  refused: yes,
  unapproved: yes,
  build: optional(text),
  creates: RESOURCES,
  released: RESOURCES,
});

const IS_JOURNAL: Rule = { holds: (value) => value instanceof Journal, means: 'a list' };
const JOURNAL = holding<Journal>(object(ENTRY), IS_JOURNAL, {
  open: (journal: Journal) => journal.entries(),
  close: (entries: readonly JournalEntry[]) => Journal.of(entries),
});

const HOLD = formOf<Hold>({
  why: plain(oneOf(['rollback_failed', 'step_failed', 'requested'], 'a reason to wait')),
  by: nullable(text),
  until: nullable(moment()),
});
const PAUSE = formOf<Pause>({ at: moment(), by: text, reason: text });
const EDIT = formOf<Edit>({
  at: moment(),
  actor: text,
  values: json(),
  before: json(),
  unseenBy: list(text),
  winsIn: list(text),
});
const DONE = formOf<DoneAction>({ key: nullable(text), action: text, at: moment() });
const SIGNAL = formOf<EarlySignal>({ name: text, payload: json() });
const TICKET = formOf<LockTicket>({
  number: numbered,
  step: nullable(count),
  run: nullable(text),
  locks: nullable(list(object(LOCK))),
  since: moment(),
  heldAt: nullable(moment()),
  looks: count,
  dueAt: nullable(moment()),
});
const FAILURE_TASK = formOf<FailureTask>({
  taskId: nullable(text),
  message: nullable(text),
  looks: numbered,
  dueAt: nullable(moment()),
});
const ALERT = formOf<Alert>({
  number: count,
  taskId: nullable(id),
  sentAt: nullable(moment()),
  looks: count,
  dueAt: nullable(moment()),
});
/** A status of the table. */
export const STATUS = oneOf(Object.values(TASK_STATUS), 'a status of the table');

const REPORT = formOf<KnownReport>({
  token: count,
  hash: text,
  status: plain(STATUS),
  late: optional(word(LOST_REASONS, oneOf(LOST_REASONS, 'a reason'))),
});
const OUTCOME = oneOf(['succeeded', 'rolled_back', 'terminated'], 'an outcome');

/** A task. Its runs and scopes are checked together, with its steps. */
export const TASK_FORM: Form<Task> = formOf<Task>({
  plan: object(PLAN),
  revision: numbered,
  status: plain(STATUS),
  way: WAY,
  turned: nullable(object(TURN)),
  hold: nullable(object(HOLD)),
  paused: nullable(object(PAUSE)),
  outcome: nullable(plain(OUTCOME)),
  message: nullable(text),
  cursor: count,
  startedAt: nullable(moment()),
  endedAt: nullable(moment()),
  resetAt: nullable(moment()),
  edits: list(object(EDIT)),
  wakeAt: nullable(moment()),
  token: count,
  runs: list(object(RUNS)),
  scopes: list(object(SCOPE), NO_SCOPES),
  alert: nullable(object(ALERT)),
  doneActions: list(object(DONE)),
  signals: list(object(SIGNAL)),
  locks: list(object(TICKET), NO_LOCKS),
  failureTask: nullable(object(FAILURE_TASK)),
  hasSecrets: flag,
  journal: JOURNAL,
  journalSeq: count,
  index: apart<Task['index']>(orNull(OBJECT), null),
  reports: list(object(REPORT), NO_REPORTS),
});
