import { body, json, KEEPS_SECRETS, READS, type Routes, WRITES } from '../requests/route.js';
import { cancelReader, decideReader } from './decide.request.js';
import { OPERATIONS_QUERY } from './operation.query.js';

/** The requests about actions on all tasks that match. */
export const OPERATION_ROUTES = {
  startOperation: {
    at: 'POST /v1/operations',
    need: { role: 'operator' },
    summary: 'Apply an action to all tasks that match; answers once the order is stored',
    description:
      'The action is done to each matching task in the background, at a bounded rate. A dry ' +
      'run says how many tasks would be acted on, and changes none.',
    parameters: ['Idempotency-Key', 'X-Backstep-Actor'],
    body: body('StartOperation'),
    answers: {
      202: json('The operation has started; a dry run may have ended', 'Operation', [
        'Location',
        'Idempotent-Replayed',
      ]),
    },
    problems: [...WRITES, ...KEEPS_SECRETS, 'IDEMPOTENCY_KEY_REUSED', 'TOO_MANY_REQUESTS'],
  },
  listOperations: {
    at: 'GET /v1/operations',
    need: { role: 'viewer' },
    summary: 'List operations, newest first',
    description:
      'The entries have counts and status, without the tasks themselves. An operation that ' +
      'waits for a second person stands here too.',
    query: OPERATIONS_QUERY,
    answers: { 200: json('One page', 'OperationPage') },
    problems: READS,
  },
  getOperation: {
    at: 'GET /v1/operations/{operationId}',
    need: { role: 'viewer' },
    summary: 'Progress of an operation, with refused and failed tasks',
    description:
      'Shows how many tasks are done, refused and failed so far, with the first of them by ' +
      'name. The counts grow until the status is final.',
    parameters: ['operationId'],
    answers: { 200: json('The operation', 'Operation') },
    problems: [...READS, 'OPERATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  cancelOperation: {
    at: 'POST /v1/operations/{operationId}:cancel',
    need: { role: 'operator' },
    summary: 'Cancel an operation: act on no further task; finished actions stay',
    description:
      'Actions in progress end within two seconds. Tasks that were acted on stay as they are.',
    parameters: ['operationId', 'X-Backstep-Actor'],
    body: body('CancelOperation', cancelReader, { isLate: true, required: false }),
    answers: { 200: json('The operation', 'Operation') },
    problems: [...WRITES, 'OPERATION_NOT_FOUND', 'RECORD_UNREADABLE', 'OPERATION_ENDED'],
  },
  approveOperation: {
    at: 'POST /v1/operations/{operationId}:approve',
    need: { role: 'operator' },
    summary: 'Approve an operation that waits for a second person',
    description:
      'The operation starts with the approval of a person other than the one who asked. Rules ' +
      'in `BACKSTEP_APPROVALS` say which actions need it.',
    parameters: ['operationId', 'X-Backstep-Actor'],
    body: body('DecideOperation', decideReader, { isLate: true, required: false }),
    answers: { 200: json('The operation', 'Operation') },
    problems: [...WRITES, 'OPERATION_NOT_FOUND', 'RECORD_UNREADABLE', 'NOT_WAITING'],
  },
  rejectOperation: {
    at: 'POST /v1/operations/{operationId}:reject',
    need: { role: 'operator' },
    summary: 'Reject an operation that waits for a second person',
    description:
      'The operation ends without an effect, and keeps the comment. A new request is needed ' +
      'to try once more.',
    parameters: ['operationId', 'X-Backstep-Actor'],
    body: body('DecideOperation', decideReader, { isLate: true, required: false }),
    answers: { 200: json('The operation', 'Operation') },
    problems: [...WRITES, 'OPERATION_NOT_FOUND', 'RECORD_UNREADABLE', 'NOT_WAITING'],
  },
} as const satisfies Routes;
