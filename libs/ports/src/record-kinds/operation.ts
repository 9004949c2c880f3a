import type { JsonObject } from '#core';
import {
  COUNT,
  DATE,
  FINITE,
  FLAG,
  listOf,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orAbsent,
  orNull,
  TEXT,
  TEXT_LIST,
  TEXTS,
  withMembers,
} from '#core/json';
import { recordKind } from '../record-kind.js';
import type { Records } from '../record-store.js';
import { KEY_LIMITS, type KeyRecord } from './key.js';

/** The actions of operations on each of their tasks: the person's actions of the same names. */
export const OPERATION_ACTIONS = [
  'rollback',
  'terminate',
  'retry',
  'skip',
  'complete',
  'pause',
  'resume',
  'reset',
  'undo',
  'restart',
  'delete',
] as const;

/** The action of an operation. */
export type OperationAction = (typeof OPERATION_ACTIONS)[number];

/**
 * `waiting`: for somebody else to say yes; then it runs, is rejected, or expires. `cancelling`:
 * somebody called it off, and whoever carries it out has not stopped yet.
 */
export const OPERATION_STATUSES = [
  'waiting',
  'running',
  'cancelling',
  'finished',
  'cancelled',
  'rejected',
  'expired',
] as const;

/** The status of an operation. */
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Actions on tasks of some flows need two people. */
export interface ApprovalRule {
  /** As it was written. */
  readonly text: string;
  readonly actions: readonly OperationAction[];
  /** Patterns of flow names. */
  readonly flows: readonly string[];
}

/** Why an operation needs two people, and what the second one said. Times are milliseconds. */
export interface OperationConsent {
  /** The rule, as it was written. */
  readonly rule: string;
  /** From then on nobody can approve it. */
  readonly expiresAt: number;
  /** Null: nobody has said anything yet. */
  readonly decision: {
    readonly actor: string;
    readonly keyId: string | null;
    readonly isApproved: boolean;
    readonly comment: string | null;
    readonly at: number;
  } | null;
}

/** The one task of an operation, as it was when somebody asked. */
interface OperationTask {
  readonly flow: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly revision: number;
}

/** The order for an operation, as it was requested. */
export interface OperationOrder {
  readonly action: OperationAction;
  /** The tasks, in the grammar of task lists; empty: the one of `taskId`. */
  readonly q: string;
  /** Absent: the tasks that `q` finds. */
  readonly taskId?: string;
  readonly reason: string;
  /** Arguments of the action besides the reason, in the form that it takes for one task. */
  readonly details: JsonObject;
  /** Tasks a second; null: as many as go. */
  readonly ratePerSecond: number | null;
  /** Each task is looked at, and none is changed. */
  readonly isDryRun: boolean;
}

/** The requester, with the rights and limits that the key had at the time of the request. */
export interface OperationRequester extends Pick<
  KeyRecord,
  'flows' | 'labels' | 'modules' | 'role'
> {
  /** In journals. */
  readonly actor: string;
  /** Name of the key. */
  readonly name: string;
  /** Null: nobody was asked for a key. */
  readonly keyId: string | null;
  /** Of the key, where somebody made it who was asked for one. */
  readonly madeBy?: string;
}

/**
 * Where it stands. A page of tasks is stored before the first of them is acted on, and counted when
 * the next one is stored: whoever takes it over acts on the same tasks again, by the same keys.
 */
export interface OperationProgress {
  /** Ids of the tasks in hand. */
  readonly page: readonly string[];
  /** Where the list of tasks goes on behind them; null: at its beginning. */
  readonly cursor: string | null;
  /** No tasks come after them. */
  readonly isLast: boolean;
}

/** How often something was in the way, by the code of the error. */
export interface OperationCount {
  readonly code: string;
  readonly count: number;
}

/** A task that was not acted on. */
export interface OperationExample {
  readonly taskId: string;
  /** `failed`: there is no such task any more, or it cannot be read. */
  readonly outcome: 'refused' | 'failed';
  readonly code: string;
  readonly message: string;
}

/** Tasks that an operation names in each of its two lists, at most: the first. */
export const OPERATION_EXAMPLES_MAX = 100;

/** An action on all tasks that match, as it is kept. Times are milliseconds since 1970. */
export interface OperationRecord {
  readonly operationId: string;
  /** Grows by one with every write. */
  readonly revision: number;
  readonly order: OperationOrder;
  readonly requester: OperationRequester;
  /** Absent: the operation is about the tasks that a search finds. */
  readonly task?: OperationTask;
  /** Absent: one person is enough. */
  readonly consent?: OperationConsent;
  /** Of the request, where it had an idempotency key. */
  readonly requestHash: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly status: OperationStatus;
  /** Tasks that matched at the start, as far as they were counted; at the end, all that did. */
  readonly matched: number;
  readonly isCounted: boolean;
  /** Acted on; of a dry run, those that would be. */
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  readonly counts: readonly OperationCount[];
  readonly examples: readonly OperationExample[];
  /** The first that were acted on, or would be. */
  readonly sample: readonly string[];
  readonly progress: OperationProgress;
  /** The cancellation: its actor, reason and time; null: it was not cancelled. */
  readonly cancel: {
    readonly actor: string;
    readonly reason: string | null;
    readonly at: number;
  } | null;
  /** The process that carries it out until `dueAt`; null: none yet. */
  readonly runner: string | null;
  /** From then on anybody may take it over; null: it has ended. */
  readonly dueAt: number | null;
}

const ORDER = withMembers<Required<OperationOrder>>(
  {
    action: oneOf(OPERATION_ACTIONS, 'an action'),
    q: TEXT,
    taskId: orAbsent(TEXT),
    reason: TEXT,
    details: OBJECT,
    ratePerSecond: orNull(FINITE),
    isDryRun: FLAG,
  },
  'the order of an operation',
);

const REQUESTER = withMembers<Required<OperationRequester>>(
  { ...KEY_LIMITS, actor: TEXT, name: TEXT, keyId: orNull(TEXT), madeBy: orAbsent(TEXT) },
  'somebody with a role and its limits',
);

const TASK = withMembers<OperationTask>(
  { flow: TEXT, labels: TEXTS, revision: NUMBERED },
  'a task',
);

const DECISION = withMembers<NonNullable<OperationConsent['decision']>>(
  { actor: TEXT, keyId: orNull(TEXT), isApproved: FLAG, comment: orNull(TEXT), at: MOMENT },
  'a decision',
);

const CONSENT = withMembers<OperationConsent>(
  { rule: TEXT, expiresAt: MOMENT, decision: orNull(DECISION) },
  'a consent',
);

const PROGRESS = withMembers<OperationProgress>(
  { page: TEXT_LIST, cursor: orNull(TEXT), isLast: FLAG },
  'where it stands',
);

const CANCEL = withMembers<NonNullable<OperationRecord['cancel']>>(
  { actor: TEXT, reason: orNull(TEXT), at: MOMENT },
  'a cancellation',
);

const COUNTED = withMembers<OperationCount>({ code: TEXT, count: COUNT }, 'a count');

const EXAMPLE = withMembers<OperationExample>(
  { taskId: TEXT, outcome: oneOf(['refused', 'failed'], 'an outcome'), code: TEXT, message: TEXT },
  'an example',
);

type OperationIndex = 'due' | 'ended' | 'time';

/** Operations in a store. */
export type Operations = Records<OperationRecord, OperationIndex>;

/**
 * Actions on all tasks that match. `due`: those that have not ended, by when others may take them;
 * `ended`: all others, by their end; `time`: all, by their beginning.
 */
export const OPERATION = recordKind<OperationRecord, OperationIndex>({
  name: 'operation',
  plural: 'operations',
  shape: {
    operationId: TEXT,
    revision: NUMBERED,
    order: ORDER,
    requester: REQUESTER,
    task: orAbsent(TASK),
    consent: orAbsent(CONSENT),
    requestHash: orNull(TEXT),
    createdAt: DATE,
    endedAt: orNull(MOMENT),
    status: oneOf(OPERATION_STATUSES, 'a status of operations'),
    matched: COUNT,
    isCounted: FLAG,
    done: COUNT,
    refused: COUNT,
    failed: COUNT,
    counts: listOf(COUNTED, 'a list of counts'),
    examples: listOf(EXAMPLE, 'a list of examples'),
    sample: TEXT_LIST,
    progress: PROGRESS,
    cancel: orNull(CANCEL),
    runner: orNull(TEXT),
    dueAt: orNull(MOMENT),
  },
  idOf: ({ operationId }) => operationId,
  version: ['revision'],
  moments: ['createdAt', 'endedAt', 'dueAt'],
  indexes: {
    due: { of: [], by: 'dueAt' },
    ended: { of: [], by: 'endedAt' },
    time: { of: [], by: 'createdAt' },
  },
});
