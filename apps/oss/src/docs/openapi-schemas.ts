import { FAILURE_CODES, NORMAL_MOVES, ROLLBACK_MOVES, TASK_STATUS, TASK_STATUS_NAMES } from '#core';
import { PROBLEMS } from '#nest';
import { BATCH_SCHEMA } from '../requests/batch.request.js';
import { CREATE_TASK_SCHEMA } from '../requests/create-task.request.js';
import {
  REASON_SCHEMA,
  RESET_SCHEMA,
  RESTART_SCHEMA,
  RETRY_SCHEMA,
  ROLLBACK_SCHEMA,
  SKIP_SCHEMA,
} from '../requests/operate.request.js';

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
const texts = listOf(text);
const labels = { type: 'object', additionalProperties: text };

/** A schema by its name in the document. */
export function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

function listOf(items: object): object {
  return { type: 'array', items };
}

/** An object that has all of these members. */
function object(properties: Readonly<Record<string, object>>, optional: string[] = []): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

const flowProblem = object({
  pointer: text,
  line: whole,
  column: whole,
  code: text,
  message: text,
  hint: text,
});

const failures = Object.entries(FAILURE_CODES).map(([name, number]) => `${number} ${name}`);

const retry = {
  oneOf: [
    { ...whole, description: 'Retries at once, after the first attempt.' },
    object({
      attempts: whole,
      backoff: { enum: ['fixed', 'exponential'] },
      delay: number,
      maxDelay: { type: ['number', 'null'] },
      jitter: flag,
    }),
  ],
};

const action = {
  module: text,
  command: text,
  timeout: { ...number, description: 'Seconds, for all attempts together.' },
  attemptTimeout: { ...number, description: 'Seconds, for one attempt.' },
  retry,
  onCrash: {
    description: 'When its process dies: restarts that use up no retry, or that it has failed.',
    oneOf: [object({ restarts: whole }), { const: 'fail' }],
  },
  parameters: anything,
};
const OPTIONAL_OF_ACTION = ['attemptTimeout', 'parameters'];

const run = {
  code: { ...whole, description: `0: nothing went wrong; else ${failures.join(', ')}.` },
  message: textOrNull,
  timeStart: secondsOrNull,
  timeEnd: secondsOrNull,
  attempts: whole,
};

const rollback = object(
  { ...action, state: { enum: Object.keys(ROLLBACK_MOVES) }, ...run },
  OPTIONAL_OF_ACTION,
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
    oneOf: [{ enum: ['rollback', 'hold'] }, object({ hold: number })],
    description: 'What becomes of a task once a step has failed for good; `hold` in seconds.',
  },
  steps: listOf(ref('FlowStep')),
};

const flowStep = { name: text, needs: texts };

const group = {
  retry: { ...retry, description: 'When all of it is tried again, once it is undone.' },
  timeout: {
    type: ['number', 'null'],
    description: 'Seconds, for the way forward of all tries together.',
  },
};

/** What every step of a task has, by its kind. */
function stepOf(kind: string): Readonly<Record<string, object>> {
  return {
    name: text,
    kind: { const: kind, description: 'The member of the flow that makes the step.' },
    needs: texts,
    id: { ...text, description: 'Of the present run: unique in the task for ever.' },
    generation: { ...whole, description: '1; one more with every reset.' },
    state: { enum: Object.keys(NORMAL_MOVES) },
    ...run,
    output: anythingOrNull,
  };
}

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
};

/** Every schema of the document, by name. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  CreateTask: CREATE_TASK_SCHEMA,
  Batch: BATCH_SCHEMA,
  Reason: REASON_SCHEMA,
  Rollback: ROLLBACK_SCHEMA,
  Retry: RETRY_SCHEMA,
  Restart: RESTART_SCHEMA,
  Skip: SKIP_SCHEMA,
  Reset: RESET_SCHEMA,
  TaskReceipt: object(receipt),
  TaskSummary: object(summary),
  Task: object({
    ...summary,
    paused: {
      oneOf: [object({ by: text, reason: text, since: seconds }), { type: 'null' }],
      description: 'Who paused the task.',
    },
    hold: {
      oneOf: [object({ by: text, reason: text, until: secondsOrNull }), { type: 'null' }],
      description: 'On hold: `by` a person, or `flow`; `until` when the task rolls back by itself.',
    },
    lastError: {
      oneOf: [object({ step: text, code: text, message: textOrNull }), { type: 'null' }],
      description: 'The step that failed last, of those that have not succeeded since.',
    },
    restartOf: { ...textOrNull, description: 'Id of the task that this one starts anew.' },
    input: { ...anything, description: 'The parameters that were sent.' },
    parameters: {
      ...anything,
      description: 'What was sent, the results of steps so far, and what persons changed.',
    },
    steps: listOf(ref('Step')),
  }),
  UnreadableTask: object({
    taskId: text,
    status: { const: 'unreadable' },
    reason: { ...text, description: 'The member of the stored document that is wrong.' },
  }),
  Step: { oneOf: [ref('CommandStep'), ref('GroupStep')] },
  CommandStep: object({
    ...stepOf('normal'),
    normal: ref('Action'),
    rollback: { oneOf: [rollback, { type: 'null' }] },
  }),
  GroupStep: object({
    ...stepOf('group'),
    ...group,
    scopes: {
      ...listOf(ref('Scope')),
      description: 'Empty until it is entered; then its present try.',
    },
  }),
  Scope: object({
    kind: { const: 'try' },
    name: { ...text, description: 'Of a try its number, counted from 1.' },
    way: { enum: ['forward', 'back'] },
    steps: listOf(ref('Step')),
  }),
  FlowStep: {
    oneOf: [
      object({
        ...flowStep,
        normal: ref('Action'),
        rollback: { oneOf: [ref('Action'), { type: 'null' }] },
      }),
      object({ ...flowStep, group: listOf(ref('FlowStep')), ...group }),
    ],
  },
  Action: object(action, OPTIONAL_OF_ACTION),
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
      refused: { const: true, description: 'Refused before its command was entered.' },
    },
    ['step', 'run', 'direction', 'attempt', 'message', 'refused'],
  ),
  Flow: object(flow),
  Flows: object({ items: listOf(object({ ...flow, startable: flag })) }),
  Validation: object({
    valid: flag,
    problems: listOf(flowProblem),
    warnings: listOf(flowProblem),
  }),
  Live: object({ status: { const: 'live' } }),
  Readiness: object({
    status: { enum: ['ready', 'not_ready'] },
    checks: listOf(object({ name: text, ready: flag, message: textOrNull })),
    auth: { const: 'off' },
    notes: listOf(text),
  }),
  Problem: object(
    {
      type: text,
      title: text,
      status: whole,
      detail: text,
      instance: text,
      code: { enum: Object.keys(PROBLEMS) },
      requestId: text,
      errors: listOf(object({ pointer: text, message: text, hint: text }, ['hint'])),
      moreErrors: whole,
    },
    ['requestId', 'errors', 'moreErrors'],
  ),
};
