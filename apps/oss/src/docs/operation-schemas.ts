import { OPERATION_ACTIONS, OPERATION_EXAMPLES_MAX, OPERATION_STATUSES } from '#ports';
import { cancelReader, decideReader } from '../operations/decide.request.js';
import { OPERATION_SCHEMA } from '../operations/operation.request.js';
import { object, PAGE, ref, told } from './schema-parts.js';

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const count = { type: 'integer', minimum: 0 };

const listed = {
  operationId: text,
  action: { enum: OPERATION_ACTIONS },
  q: { ...text, description: 'Empty: the operation is about one task, `taskId`.' },
  taskId: { type: ['string', 'null'] },
  flow: { type: ['string', 'null'], description: 'Flow of that task.' },
  taskRevision: {
    type: ['integer', 'null'],
    minimum: 1,
    description: 'Revision of that task at the request.',
  },
  reason: text,
  ratePerSecond: { type: ['number', 'null'], description: 'Null: no limit.' },
  dryRun: { type: 'boolean' },
  actor: { ...text, description: 'The person who started it.' },
  status: { enum: [...OPERATION_STATUSES] },
  matched: {
    ...count,
    description: 'Tasks that matched at the start; after the end, tasks that it looked at.',
  },
  isCounted: {
    type: 'boolean',
    description: 'False: more tasks match than `matched`, which grows as they are found.',
  },
  done: { ...count, description: 'Tasks acted on. Of a dry run: 0.' },
  refused: { ...count, description: 'Tasks whose state does not allow the action.' },
  failed: { ...count, description: 'Tasks that are gone or cannot be read.' },
  wouldDo: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Of a dry run: tasks that would be acted on.',
  },
  counts: {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'Number of tasks by error code.',
  },
  consent: {
    oneOf: [ref('OperationConsent'), { type: 'null' }],
    description: 'Null: one person is enough.',
  },
  createdAt: time,
  endedAt: { ...time, type: ['string', 'null'] },
  cancel: {
    oneOf: [
      object({ actor: text, reason: { type: ['string', 'null'] }, at: time }),
      { type: 'null' },
    ],
    description: 'The person who cancelled it.',
  },
};

/** One body for each action, with a name: generators of clients need one. */
const STARTS = Object.fromEntries(
  OPERATION_SCHEMA.oneOf.map((schema, at) => [nameOfStart(OPERATION_ACTIONS[at] ?? ''), schema]),
);

function nameOfStart(action: string): string {
  return `StartOperation${action.charAt(0).toUpperCase()}${action.slice(1)}`;
}

/** The schemas of actions on all tasks that match, by name. */
export const OPERATION_SCHEMAS: Readonly<Record<string, object>> = {
  ...STARTS,
  StartOperation: told(
    'action',
    Object.fromEntries(OPERATION_ACTIONS.map((action) => [action, nameOfStart(action)])),
  ),
  CancelOperation: cancelReader.schema,
  DecideOperation: decideReader.schema,
  OperationConsent: object({
    rule: { ...text, description: 'The rule that demands a second person, as written.' },
    expiresAt: { ...time, description: 'After this time it cannot be approved.' },
    decision: {
      oneOf: [ref('OperationDecision'), { type: 'null' }],
      description: 'Null: not decided yet.',
    },
  }),
  OperationDecision: object({
    actor: text,
    approved: { type: 'boolean' },
    comment: { type: ['string', 'null'] },
    at: time,
  }),
  Operation: object({
    ...listed,
    details: { type: 'object', description: 'Arguments of the action besides the reason.' },
    examples: {
      type: 'array',
      maxItems: OPERATION_EXAMPLES_MAX,
      items: object({
        taskId: text,
        outcome: { enum: ['refused', 'failed'] },
        code: text,
        message: text,
      }),
      description: 'The first tasks that were not acted on.',
    },
    sample: {
      type: 'array',
      maxItems: OPERATION_EXAMPLES_MAX,
      items: text,
      description: 'Ids of the first tasks that were acted on, or would be.',
    },
  }),
  OperationPage: object({ items: { type: 'array', items: object(listed) }, page: PAGE }),
};
