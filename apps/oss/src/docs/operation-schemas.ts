import { OPERATION_ACTIONS, OPERATION_EXAMPLES_MAX, OPERATION_STATUSES } from '#ports';
import { cancelReader } from '../operations/cancel.request.js';
import { decideReader } from '../operations/decide.request.js';
import { OPERATION_SCHEMA } from '../operations/operation.request.js';
import { object, ref } from './schema-parts.js';

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const count = { type: 'integer', minimum: 0 };

const listed = {
  operationId: text,
  action: { enum: OPERATION_ACTIONS },
  q: { ...text, description: 'Empty: it is about one task, `taskId`.' },
  taskId: { type: ['string', 'null'] },
  flow: { type: ['string', 'null'], description: 'Of that task.' },
  taskRevision: {
    type: ['integer', 'null'],
    minimum: 1,
    description: 'Of that task, when somebody asked.',
  },
  reason: text,
  ratePerSecond: { type: ['number', 'null'], description: 'Null: as many as go.' },
  dryRun: { type: 'boolean' },
  actor: { ...text, description: 'Who asked.' },
  status: {
    enum: [...OPERATION_STATUSES],
  },
  matched: {
    ...count,
    description: 'Tasks that matched at the start; once it has finished, those that it came to.',
  },
  isCounted: {
    type: 'boolean',
    description: 'False: there are more than `matched`, which grows while they are found.',
  },
  done: { ...count, description: 'Acted on. Of a dry run: 0.' },
  refused: { ...count, description: 'Not acted on, because of the state they were in.' },
  failed: { ...count, description: 'Gone, or not to be read.' },
  wouldDo: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Of a dry run: how many would be acted on.',
  },
  counts: {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'What was in the way, by the code of the error.',
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
    description: 'Who called it off.',
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
  StartOperation: {
    oneOf: Object.keys(STARTS).map(ref),
  },
  CancelOperation: cancelReader.schema,
  DecideOperation: decideReader.schema,
  OperationConsent: object({
    rule: { ...text, description: 'By which it needs two people, as it was written.' },
    expiresAt: { ...time, description: 'From then on nobody can approve it.' },
    decision: {
      oneOf: [ref('OperationDecision'), { type: 'null' }],
      description: 'Null: nobody has said anything yet.',
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
    details: { type: 'object', description: 'What the action was given besides the reason.' },
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
  OperationPage: object({
    items: { type: 'array', items: object(listed) },
    page: object({ nextCursor: { type: ['string', 'null'] } }),
  }),
};
