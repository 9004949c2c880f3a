import { TASK_STATUS, TASK_STATUS_NAMES } from '#core';
import { PROBLEMS } from '#http-server';
import { FLOW_SCHEMAS, fileProblem, flowProblem } from './flow-schemas.js';
import { RESOURCE_SCHEMAS } from './resource-schemas.js';
import { NOTIFICATION_SCHEMAS } from './notification-schemas.js';
import { SCHEDULE_SCHEMAS } from './schedule-schemas.js';
import { LOCKS } from './kind-schemas.js';
import { STEP_SCHEMAS } from './step-schemas.js';
import { BATCH_SCHEMA } from '../requests/batch.request.js';
import { createTaskReader } from '../requests/create-task.request.js';
import { completeReader } from '../requests/complete.request.js';
import {
  judgeReader,
  reasonReader,
  resetReader,
  restartReader,
  retryReader,
  rollbackReader,
  signalReader,
  skipReader,
} from '../requests/operate.request.js';
import { listOf, object, ref } from './schema-parts.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const whole = { type: 'integer' };
const number = { type: 'number' };
const seconds = { type: 'integer', description: 'Seconds since 1970.' };
const secondsOrNull = { ...seconds, type: ['integer', 'null'] };
const flag = { type: 'boolean' };
const anything = { type: 'object' };
const anythingOrNull = { type: ['object', 'null'] };
const statusName = { enum: TASK_STATUS_NAMES };
const statusNumber = { enum: Object.values(TASK_STATUS) };
const labels = { type: 'object', additionalProperties: text };

/** A schema by its name in the document. */
const fault = object(
  { pointer: text, message: text, hint: text, code: text, type: text, line: whole, column: whole },
  ['hint', 'code', 'type', 'line', 'column'],
);

const receipt = {
  taskId: text,
  flow: text,
  flowVersion: whole,
  taskStatus: statusNumber,
  status: statusName,
  timeCreate: seconds,
};

const flow = {
  name: text,
  version: whole,
  hash: text,
  timeCreate: seconds,
  description: textOrNull,
  input: { ...anythingOrNull, description: 'JSON Schema of the parameters.' },
  timeout: { type: ['number', 'null'], description: 'Seconds.' },
  onFailure: {
    oneOf: [{ enum: ['rollback', 'hold'] }, ref('HoldPolicy')],
    description: 'What becomes of a task once a step has failed for good; `hold` in seconds.',
  },
  steps: listOf(ref('FlowStep')),
  constants: { ...anything, description: 'Join the parameters, below those that are sent.' },
  output: { description: 'What tasks of the flow give, expressions in it included.' },
  labels: { ...anything, description: 'Of its tasks, besides those that are sent, which win.' },
  locks: LOCKS,
  failureFlow: text,
  maxLive: {
    type: 'integer',
    minimum: 1,
    description: 'While so many of its tasks are not final, no further one is started.',
  },
};
const file = {
  ...textOrNull,
  description: 'The flow file that defines it, by its name in the folder; null: requests store it.',
};
const drill = {
  oneOf: [ref('Drill'), { type: 'null' }],
  description:
    'The last drill of this version, else of the newest before it that was drilled; null: none.',
};
const OPTIONAL_OF_FLOW = ['constants', 'output', 'labels', 'locks', 'failureFlow', 'maxLive'];

const summary = {
  ...receipt,
  taskMessage: textOrNull,
  taskCursor: { ...whole, description: 'The furthest step that was reached.' },
  timeStart: secondsOrNull,
  timeEnd: secondsOrNull,
  labels,
  priority: whole,
  revision: { ...whole, description: 'Grows with every change.' },
  wakeAt: { ...secondsOrNull, description: 'When the task is looked at again.' },
  parent: {
    oneOf: [ref('Parent'), { type: 'null' }],
    description:
      'Of a child task: whose it is, of which run of a step (null: a failure flow), and which.',
  },
  approvals: {
    ...listOf(ref('Approval')),
    description: 'What it waits for a person to say yes or no to, the first ten.',
  },
};

/** Every schema of the document, by name. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  CreateTask: createTaskReader.schema,
  Batch: BATCH_SCHEMA,
  Reason: reasonReader.schema,
  Rollback: rollbackReader.schema,
  Retry: retryReader.schema,
  Restart: restartReader.schema,
  Skip: skipReader.schema,
  Signal: signalReader.schema,
  Judge: judgeReader.schema,
  Reset: resetReader.schema,
  Complete: completeReader.schema,
  ...RESOURCE_SCHEMAS,
  TaskReceipt: object(receipt),
  TaskSummary: object(summary),
  Task: object({
    ...summary,
    paused: {
      oneOf: [ref('Pause'), { type: 'null' }],
      description: 'Who paused the task.',
    },
    hold: {
      oneOf: [ref('Hold'), { type: 'null' }],
      description: 'On hold: `by` a person, or `flow`; `until` when the task rolls back by itself.',
    },
    lastError: {
      oneOf: [ref('LastError'), { type: 'null' }],
      description:
        'The step that failed last, of those that have not succeeded since;' +
        ' `step` is null when the time for the whole task was over.',
    },
    failureFlow: {
      oneOf: [ref('FailureFlow'), { type: 'null' }],
      description: 'The task that runs the failure flow, or why it could not be started.',
    },
    restartOf: { ...textOrNull, description: 'Id of the task that this one starts anew.' },
    only: { ...textOrNull, description: 'The one step that it runs by itself; null: all run.' },
    input: { ...anything, description: 'The parameters that were sent.' },
    parameters: {
      ...anything,
      description: 'What was sent, the results of steps so far, and what persons changed.',
    },
    output: { description: 'What the flow gives, once the task has succeeded; else null.' },
    steps: listOf(ref('Step')),
  }),
  UnreadableTask: object({
    taskId: text,
    status: { const: 'unreadable' },
    reason: { ...text, description: 'The member of the stored document that is wrong.' },
  }),
  Approval: object({
    step: { ...text, description: 'By which `:approve` and `:reject` address it.' },
    title: text,
    roles: { ...listOf(text), description: 'Roles that may answer; empty: whoever may act.' },
    since: seconds,
  }),
  Parent: object({ taskId: text, step: textOrNull, index: whole }),
  Pause: object({ by: text, reason: text, since: seconds }),
  Hold: object({ by: text, reason: text, until: secondsOrNull }),
  HoldPolicy: object({ hold: number }),
  LastError: object({ step: textOrNull, code: text, message: textOrNull }),
  FailureFlow: object({ name: text, taskId: textOrNull, message: textOrNull }),
  ...STEP_SCHEMAS,
  TaskPage: object({
    items: listOf({ anyOf: [ref('Task'), ref('TaskSummary'), ref('UnreadableTask')] }),
    page: object({ nextCursor: textOrNull }),
  }),
  BatchResults: object({
    results: listOf(
      object({ index: whole, status: whole, taskId: text, problem: ref('Problem') }, [
        'taskId',
        'problem',
      ]),
    ),
  }),
  Changes: object({
    items: listOf({ anyOf: [ref('TaskSummary'), ref('UnreadableTask')] }),
    lastEventId: { ...text, description: 'Where the next request goes on.' },
  }),
  Events: object({ items: listOf(ref('Event')) }),
  Event: object(
    {
      seq: whole,
      at: { type: 'string', format: 'date-time' },
      kind: text,
      step: text,
      run: { ...text, description: 'Id of the run, where it is not the name of the step.' },
      direction: { enum: ['normal', 'rollback', 'alert'] },
      attempt: whole,
      actor: text,
      message: text,
      refused: {
        type: 'boolean',
        enum: [true],
        description: 'Refused before its command was entered.',
      },
    },
    ['step', 'run', 'direction', 'attempt', 'message', 'refused'],
  ),
  Flow: object({ ...flow, drill, file }, [...OPTIONAL_OF_FLOW, 'file']),
  Flows: object({
    items: listOf(
      object({ ...flow, drill, file, startable: flag, retired: flag }, OPTIONAL_OF_FLOW),
    ),
    files: object({
      problems: {
        ...listOf(fileProblem),
        description: 'Mistakes in flow files. What they spoil stays as it was loaded last.',
      },
    }),
  }),
  StoredFlow: object({ ...flow, revived: flag, warnings: listOf(flowProblem) }, OPTIONAL_OF_FLOW),
  ...FLOW_SCHEMAS,
  ...SCHEDULE_SCHEMAS,
  ...NOTIFICATION_SCHEMAS,
  Problem: object(
    {
      type: text,
      title: text,
      status: whole,
      detail: text,
      instance: text,
      code: { enum: Object.keys(PROBLEMS) },
      requestId: text,
      errors: listOf(fault),
      moreErrors: whole,
    },
    ['requestId', 'errors', 'moreErrors'],
  ),
};
