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
} from '#core';
import { KEY_LIMITS } from './key-form.js';
import { OPERATION_ACTIONS, OPERATION_STATUSES } from './operation-store.js';
import type {
  OperationConsent,
  OperationCount,
  OperationExample,
  OperationOrder,
  OperationProgress,
  OperationRecord,
  OperationRequester,
  OperationTask,
} from './operation-store.js';
import { textCheck } from './record-form.js';

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
  {
    taskId: TEXT,
    outcome: oneOf(['refused', 'failed'], 'an outcome'),
    code: TEXT,
    message: TEXT,
  },
  'an example',
);

/** The operation of a stored text, under its id. Throws `DocumentFault`. */
export const readOperation = textCheck<OperationRecord>(
  {
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
  'operationId',
);
