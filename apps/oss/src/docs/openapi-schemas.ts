import { COMMON_MEMBERS, commonMembers, HOLDER_KINDS, kindMembers } from './kind-schemas.js';
import { LOCKS, OPTIONAL_OF_KIND, PARENT_KINDS, UNDOABLE_KINDS } from './kind-schemas.js';
import { FAILURE_CODES, NORMAL_MOVES, ROLLBACK_MOVES, TASK_STATUS, TASK_STATUS_NAMES } from '#core';
import { PROBLEMS } from '#nest';
import { FLOW_SCHEMAS, flowProblem } from './flow-schemas.js';
import { RESOURCE_SCHEMAS } from './resource-schemas.js';
import { SCHEDULE_SCHEMAS } from './schedule-schemas.js';
import { BATCH_SCHEMA } from '../requests/batch.request.js';
import { CREATE_TASK_SCHEMA } from '../requests/create-task.request.js';
import { COMPLETE_SCHEMA } from '../requests/complete.request.js';
import { ACTION_SCHEMAS } from '../requests/operate.request.js';

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

const fault = object(
  { pointer: text, message: text, hint: text, code: text, line: whole, column: whole },
  ['hint', 'code', 'line', 'column'],
);

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
  constants: { ...anything, description: 'Join the parameters, below those that are sent.' },
  output: { description: 'What tasks of the flow give, expressions in it included.' },
  labels: { ...anything, description: 'Of its tasks, besides those that are sent, which win.' },
  locks: LOCKS,
  failureFlow: text,
};
const OPTIONAL_OF_FLOW = ['constants', 'output', 'labels', 'locks', 'failureFlow'];

const flowStep = { name: text, needs: texts };

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
    values: { ...anything, description: 'What the expressions of the step came to.' },
    output: anythingOrNull,
    ...commonMembers(null),
  };
}

const undoOrNull = { oneOf: [rollback, { type: 'null' }] };
const scopes = {
  ...listOf(ref('Scope')),
  description: 'Empty until it is entered; of a group its present try.',
};
const children = {
  ...object({ total: whole, started: whole, succeeded: whole, failed: whole, active: whole }),
  description: 'How the child tasks of the step stand, as it last heard.',
};
const OPTIONAL_OF_STEP = ['values', ...COMMON_MEMBERS, ...OPTIONAL_OF_KIND];

/** The schemas of the steps of a task, by their kinds. */
function taskSteps(): readonly object[] {
  const command = { ...stepOf('normal'), normal: ref('Action'), rollback: undoOrNull, scopes };
  const others = Object.entries(kindMembers(retry, null)).map(([kind, members]) => {
    const isHolder = HOLDER_KINDS.has(kind);
    const isParent = PARENT_KINDS.has(kind);
    const undo = isHolder || isParent ? {} : { rollback: undoOrNull };
    const own = { ...stepOf(kind), ...members, ...undo, ...(isParent && { children }), scopes };
    return object(own, [...OPTIONAL_OF_STEP, ...(isHolder ? [] : ['scopes'])]);
  });
  return [object(command, [...OPTIONAL_OF_STEP, 'scopes']), ...others];
}

/** The schemas of the steps of a flow, by their kinds. */
function flowSteps(): readonly object[] {
  const list = listOf(ref('FlowStep'));
  const undo = { oneOf: [ref('Action'), { type: 'null' }] };
  const head = { ...flowStep, ...commonMembers(list) };
  const optional = [...COMMON_MEMBERS, ...OPTIONAL_OF_KIND];
  const others = Object.entries(kindMembers(retry, list)).map(([kind, members]) => {
    const own = UNDOABLE_KINDS.has(kind) ? { rollback: undo } : {};
    return object({ ...head, ...members, ...own }, optional);
  });
  return [object({ ...head, normal: ref('Action'), rollback: undo }, optional), ...others];
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
  parent: {
    oneOf: [object({ taskId: text, step: textOrNull, index: whole }), { type: 'null' }],
    description:
      'Of a child task: whose it is, of which run of a step (null: a failure flow), and which.',
  },
};

/** Every schema of the document, by name. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  CreateTask: CREATE_TASK_SCHEMA,
  Batch: BATCH_SCHEMA,
  ...ACTION_SCHEMAS,
  Complete: COMPLETE_SCHEMA,
  ...RESOURCE_SCHEMAS,
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
    failureFlow: {
      oneOf: [object({ name: text, taskId: textOrNull, message: textOrNull }), { type: 'null' }],
      description: 'The task that runs the failure flow, or why it could not be started.',
    },
    restartOf: { ...textOrNull, description: 'Id of the task that this one starts anew.' },
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
  Step: { oneOf: taskSteps() },
  Scope: object({
    kind: { enum: ['try', 'case', 'branch', 'round', 'catch', 'dynamic'] },
    name: { ...text, description: 'Of a try or a round its number, counted from 1.' },
    way: { enum: ['forward', 'back'] },
    steps: listOf(ref('Step')),
  }),
  FlowStep: { oneOf: flowSteps() },
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
  Flow: object(flow, OPTIONAL_OF_FLOW),
  Flows: object({
    items: listOf(object({ ...flow, startable: flag, retired: flag }, OPTIONAL_OF_FLOW)),
  }),
  StoredFlow: object({ ...flow, revived: flag, warnings: listOf(flowProblem) }, OPTIONAL_OF_FLOW),
  ...FLOW_SCHEMAS,
  ...SCHEDULE_SCHEMAS,
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
