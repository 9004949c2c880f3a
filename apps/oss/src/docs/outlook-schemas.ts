import { TASK_STATUS_NAMES } from '#core';
import { PREVIEWED } from '../tasks/preview.query.js';
import { listOf, object } from './schema-parts.js';

const text = { type: 'string' };
const secondsOrNull = { type: ['number', 'null'], minimum: 0 };
const textOrNull = { type: ['string', 'null'] };

const counts = {
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 1 },
  description: 'By the value; an empty text stands for tasks without the label.',
};

const places = {
  type: 'array',
  items: object({ taskId: text, since: { type: 'string', format: 'date-time' } }),
};

const PLACE = {
  taskId: { ...text, description: 'The task, or a task below it.' },
  step: text,
  id: { ...text, description: 'Of the run.' },
};

const WAYS = { enum: ['normal', 'rollback'] };

const STATUS = { enum: TASK_STATUS_NAMES };

const UNDO = {
  ...PLACE,
  module: text,
  command: text,
  parameters: { type: 'object' },
  unresolved: {
    ...textOrNull,
    description: 'Why expressions in the parameters stand as they were written.',
  },
  served: { type: 'boolean', description: 'An executor is there that has the command.' },
};

const ESTIMATE = { oneOf: [{ $ref: '#/components/schemas/Estimate' }, { type: 'null' }] };

/** The schemas of what would happen, and of who is there to do it. */
export const OUTLOOK_SCHEMAS: Readonly<Record<string, object>> = {
  RollbackPlan: object({
    items: listOf(object(UNDO)),
    pivot: { ...textOrNull, description: 'The step past which nothing goes back.' },
    leftOver: {
      ...listOf(object(PLACE)),
      description: 'Steps that may have had an effect, and have no rollback.',
    },
    obstacle: { ...textOrNull, description: 'Why the task would not go back all the way.' },
    to: {
      ...textOrNull,
      description:
        'With an obstacle: the step to ask for, down to which the items go; null: there is none.',
    },
    isCut: {
      type: 'boolean',
      description: 'There are more than 1,000, or more than 200 child tasks, or some are not seen.',
    },
    estimate: { ...ESTIMATE, description: 'Null: it would not go back, or by too many undos.' },
  }),
  Preview: object({
    action: { enum: PREVIEWED },
    status: object({ before: STATUS, after: STATUS }),
    calledOff: {
      ...listOf(object(PLACE)),
      description: 'Running steps that are told to stop.',
    },
    starts: {
      ...listOf(object({ ...PLACE, direction: WAYS, module: textOrNull, command: textOrNull })),
      description: 'Steps and undos that start at once; without a command where they hold others.',
    },
    undoes: {
      ...listOf(object(UNDO)),
      description: 'The undos that follow if all of them succeed, in that order.',
    },
    leftOver: {
      ...listOf(object(PLACE)),
      description: 'Steps that may have had an effect, and stay as they are.',
    },
    obstacle: { ...textOrNull, description: 'Why not all of it is undone.' },
    isCut: { type: 'boolean', description: 'There is more than is listed.' },
    estimate: { ...ESTIMATE, description: 'How long the undos take; null: there are none.' },
  }),
  Estimate: object({
    direction: { enum: ['forward', 'back'] },
    message: { ...text, description: 'For people.' },
    p50: {
      ...secondsOrNull,
      description: 'Seconds within which half of the past tasks were done; null: not known.',
    },
    p95: { ...secondsOrNull, description: 'The same of 95 in 100.' },
    tasks: { type: 'integer', minimum: 0, description: 'So many past tasks tell it.' },
    flowVersion: {
      type: ['integer', 'null'],
      description: 'The version that they ran; null: several.',
    },
    unknown: { ...listOf(text), description: 'Steps of which no past task tells.' },
    uncounted: {
      ...listOf(
        object({
          step: { ...textOrNull, description: 'Null: the task itself.' },
          why: { enum: ['approval', 'signal', 'time', 'late', 'paused', 'hold'] },
        }),
      ),
      description: 'Waits that come on top.',
    },
    deadline: {
      oneOf: [
        object({
          at: { type: 'string', format: 'date-time' },
          risk: { enum: ['likely', 'possible', 'none', 'unknown'] },
          abortBy: {
            ...textOrNull,
            description:
              'The last moment from which a rollback would end by `at` in 95 of 100 cases.',
          },
        }),
        { type: 'null' },
      ],
      description: 'The end of the time for the task, and how likely it is missed.',
    },
  }),
  Provenance: {
    type: 'object',
    additionalProperties: listOf(
      object({
        value: { description: 'The last one holds now.' },
        writer: {
          oneOf: [
            object({ kind: { enum: ['constant', 'request'] } }),
            object({ kind: { const: 'step' }, step: text, id: text }),
            object({ kind: { const: 'person' }, actor: text }),
          ],
        },
        at: { type: ['integer', 'null'], description: 'Seconds since 1970.' },
      }),
    ),
  },
  TaskCounts: object(
    {
      by: text,
      total: { type: 'integer', minimum: 0 },
      counts,
      intervals: {
        ...listOf(
          object({
            at: { type: 'integer', description: 'Its beginning, in seconds since 1970.' },
            total: { type: 'integer', minimum: 1 },
            counts,
          }),
        ),
        maxItems: 1_000,
        description:
          'With `every`: the tasks that were created in each interval, as they stand now; the ' +
          'oldest first, without intervals that have none.',
      },
      isComplete: {
        type: 'boolean',
        description:
          'All that fit were counted; else the newest 20,000 that were looked at, or those of the ' +
          'newest 1,000 intervals.',
      },
    },
    ['intervals'],
  ),
  Explanation: object({
    moving: {
      type: 'boolean',
      description: 'Something is being done right now, or will be without anybody’s doing.',
    },
    causes: listOf(
      object({
        code: { ...text, description: 'For programs.' },
        message: { ...text, description: 'For people.' },
        since: { type: ['string', 'null'], format: 'date-time' },
        evidence: { type: 'object', description: 'The facts that it was told by.' },
        next: listOf(
          object(
            {
              action: text,
              label: text,
              to: { ...text, description: 'Of a rollback: the step to ask for.' },
            },
            ['to'],
          ),
        ),
      }),
    ),
    isCut: { type: 'boolean', description: 'There are more than the 50 that are shown.' },
    estimate: {
      ...ESTIMATE,
      description: 'Null: the task has ended, or goes back by too many undos.',
    },
  }),
  Locks: object({
    items: listOf(
      object({
        name: text,
        slots: { type: 'integer', minimum: 1, description: 'How many may hold it at a time.' },
        holders: places,
        waiting: { ...places, description: 'The first comes next.' },
      }),
    ),
    isCut: { type: 'boolean', description: 'There are more than the 1,000 that are shown.' },
  }),
  Live: object({ status: { const: 'live' } }),
  Readiness: object({
    status: { enum: ['ready', 'not_ready'] },
    checks: listOf(
      object({ name: text, ready: { type: 'boolean' }, message: { type: ['string', 'null'] } }),
    ),
    auth: {
      type: 'string',
      description: '`off`, `token`, or `keys`, `oidc` and `mtls` with commas, in this order.',
    },
    signIn: {
      type: ['string', 'null'],
      description: 'Where a browser signs in at the identity provider; null: nowhere.',
    },
    notes: listOf(text),
  }),
  Executors: object({
    items: listOf(
      object({
        module: text,
        instance: text,
        host: text,
        version: text,
        commands: listOf(
          object({
            name: text,
            parameters: {
              type: ['object', 'null'],
              description: 'JSON Schema of what it takes; null: it does not say.',
            },
          }),
        ),
        since: { type: 'string', format: 'date-time' },
        lastSeen: { type: 'string', format: 'date-time' },
        silentSince: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Since when its process has owed a sign of life; null: it owes none.',
        },
        busy: { type: 'integer', minimum: 0, description: 'Commands that it ran when last seen.' },
        slots: { type: 'integer', minimum: 1, description: 'How many it may run at a time.' },
      }),
    ),
    faultSwitches: {
      type: 'boolean',
      description: 'Module `lab` has switches here that make steps go wrong.',
    },
  }),
};
