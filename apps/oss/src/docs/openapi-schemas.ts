import { ORIGIN_NAMES, TASK_STATUS, TASK_STATUS_NAMES } from '#core';
import { AWAITED_KINDS } from '#core/stored';
import { PROBLEMS } from '#http-server';
import { FLOW_SCHEMAS, fileProblem, flowProblem } from './flow-schemas.js';
import { RESOURCE_SCHEMAS } from './resource-schemas.js';
import { NOTIFICATION_SCHEMAS } from './notification-schemas.js';
import { OUTPUT_SCHEMAS } from './output-schemas.js';
import { SCHEDULE_SCHEMAS } from './schedule-schemas.js';
import { LOCKS } from './kind-schemas.js';
import { STEP_SCHEMAS } from './step-schemas.js';
import { batchReader } from '../requests/batch.request.js';
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
import { growing, listOf, object, PAGE, ref, told } from './schema-parts.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const whole = { type: 'integer' };
const number = { type: 'number' };
const seconds = { type: 'integer', description: 'Seconds since 1970.' };
const secondsOrNull = { ...seconds, type: ['integer', 'null'] };
const flag = { type: 'boolean' };
const anything = { type: 'object' };
const anythingOrNull = { type: ['object', 'null'] };
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
  taskStatus: ref('TaskStatusNumber'),
  status: ref('TaskStatus'),
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
    description: 'What happens to a task when a step has failed for good; `hold` in seconds.',
  },
  steps: listOf(ref('FlowStep')),
  onTimeout: {
    enum: ['wait'],
    description:
      'Running commands go on to their end when its time is over; absent: they are told to stop.',
  },
  constants: {
    ...anything,
    description: 'Parameters of every task; those that are sent win over them.',
  },
  output: { description: 'Output of its tasks, with its expressions.' },
  labels: { ...anything, description: 'Labels of its tasks; those that are sent win over them.' },
  locks: LOCKS,
  failureFlow: text,
  maxLive: {
    type: 'integer',
    minimum: 1,
    description: 'At this number of tasks that are not final, no further one is created.',
  },
};
const file = {
  ...textOrNull,
  description: 'Path of its flow file within the folder; null: it was stored by a request.',
};
const drill = {
  oneOf: [ref('Drill'), { type: 'null' }],
  description:
    'The last drill of this version, or else of the newest drilled one before it; null: none.',
};
const obstacle = {
  oneOf: [object({ code: text, message: text }), { type: 'null' }],
  description: 'Why a task of it would be refused now: no executor can run a step. Null: nothing.',
};
const OPTIONAL_OF_FLOW = [
  ...['constants', 'output', 'labels', 'locks', 'failureFlow', 'maxLive', 'onTimeout'],
];

const summary = {
  ...receipt,
  taskMessage: textOrNull,
  taskCursor: { ...whole, description: 'Index of the furthest step that was reached.' },
  timeStart: secondsOrNull,
  timeEnd: secondsOrNull,
  labels,
  priority: whole,
  revision: { ...whole, description: 'Grows with every change.' },
  wakeAt: { ...secondsOrNull, description: 'When the task is checked next.' },
  parent: {
    oneOf: [ref('Parent'), { type: 'null' }],
    description:
      'Of a child task: its parent, the run of the step there (null: it is the failure flow), ' +
      'and its index.',
  },
  origin: {
    oneOf: [ref('Origin'), { type: 'null' }],
    description: 'The request that it was made for; null: a task around it made it.',
  },
  approvals: {
    ...listOf(ref('Approval')),
    description: 'The first ten steps that wait for an approval.',
  },
  awaits: {
    oneOf: [ref('Awaited'), { type: 'null' }],
    description:
      'The event without which a task that is under way does not go on; null: it goes on, it has ' +
      'ended, or a person has to act.',
  },
};

const ORIGIN = {
  requestId: { ...text, description: 'Its `X-Request-Id`, which logs and the audit log have too.' },
  client: { ...text, description: 'Address that it came from; of IPv6 the network.' },
  operator: { ...text, description: 'Name of the person, program or schedule that asked for it.' },
};

const task = {
  ...summary,
  paused: {
    oneOf: [ref('Pause'), { type: 'null' }],
    description: 'The pause, while the task is paused.',
  },
  hold: {
    oneOf: [ref('Hold'), { type: 'null' }],
    description: 'On hold: `by` a person, or `flow`; `until` when the task rolls back by itself.',
  },
  turned: {
    oneOf: [ref('Turn'), { type: 'null' }],
    description:
      'Why the task goes or went back; null: it does not. `requested`, with `by`, if a person or ' +
      'the parent asked for it: so a task that failed differs from one that was undone later.',
  },
  lastError: {
    oneOf: [ref('LastError'), { type: 'null' }],
    description:
      'The step that failed last and has not succeeded since; ' +
      '`step` is null if the task as a whole timed out.',
  },
  failureFlow: {
    oneOf: [ref('FailureFlow'), { type: 'null' }],
    description: 'The task that runs the failure flow, or why it could not be started.',
  },
  restartOf: { ...textOrNull, description: 'Id of the task that this one restarts.' },
  only: { ...textOrNull, description: 'The only step that it runs; null: it runs all.' },
  input: { ...anything, description: 'The parameters that were sent.' },
  parameters: {
    ...anything,
    description: 'The parameters sent, results of steps so far, and changes by people.',
  },
  output: { description: 'Output of the flow, after the task has succeeded; else null.' },
  steps: listOf(ref('Step')),
};

/** A task of which lists show more than a summary where somebody has said how far it is. */
const listed = { ...task, progress: ref('TaskProgress') };

/** A task in this form, or what is left of one that cannot be read. */
function taskOrUnreadable(form: string): object {
  const statuses = TASK_STATUS_NAMES.map((status) => [status, form]);
  return told('status', { ...Object.fromEntries(statuses), unreadable: 'UnreadableTask' });
}

/** A whole task of which only these members are always there. */
function taskWith(members: object): object {
  const optional = Object.keys(task).filter((name) => !(name in members));
  return object(task, optional);
}

/** Every schema of the document, by name. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  CreateTask: createTaskReader.schema,
  // Each entry is checked by itself, so the reader of the list does not look into them.
  Batch: {
    ...batchReader.schema,
    properties: { tasks: { ...batchReader.schema.properties['tasks'], items: ref('CreateTask') } },
  },
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
  Task: object(task),
  CreatedTask: {
    ...taskWith(receipt),
    description: 'With `wait` the whole task; without it the members that are always there.',
  },
  ListedTask: {
    ...object(
      listed,
      Object.keys(listed).filter((name) => !(name in summary)),
    ),
    description: 'With `full=true` the whole task; without it the members that are always there.',
  },
  TaskStatus: { enum: TASK_STATUS_NAMES },
  TaskStatusNumber: {
    enum: TASK_STATUS_NAMES.map((name) => TASK_STATUS[name]),
    'x-enum-varnames': TASK_STATUS_NAMES,
  },
  UnreadableTask: object({
    taskId: text,
    status: { const: 'unreadable' },
    reason: { ...text, description: 'The member of the stored document that is wrong.' },
  }),
  Awaited: object({
    kind: {
      type: 'string',
      enum: AWAITED_KINDS,
      description: '`retry`: the next attempt of an action that has failed.',
    },
    attempts: { ...whole, description: 'Attempts so far, if it is a `retry`; else 0.' },
  }),
  Approval: object({
    step: { ...text, description: 'Id of the run of the step, for `:approve` and `:reject`.' },
    title: text,
    roles: {
      ...listOf(text),
      description: 'Roles that may answer; empty: any that may act on the task.',
    },
    since: seconds,
  }),
  Parent: object({ taskId: text, step: textOrNull, index: whole }),
  Origin: object(ORIGIN, ORIGIN_NAMES),
  Pause: object({ by: text, reason: text, since: seconds }),
  Hold: object({ by: text, reason: text, until: secondsOrNull }),
  Turn: object({
    why: {
      enum: ['step_failed', 'step_timed_out', 'task_timed_out', 'requested', 'reset', 'hold_ended'],
    },
    by: textOrNull,
    reason: text,
    since: seconds,
  }),
  HoldPolicy: object({ hold: number }),
  LastError: object({ step: textOrNull, code: text, message: textOrNull }),
  FailureFlow: object({ name: text, taskId: textOrNull, message: textOrNull }),
  ...STEP_SCHEMAS,
  Completed: { oneOf: [ref('Task'), ref('CompletedRun')] },
  OpenApi: { ...anything, description: 'OpenAPI 3.1.' },
  TaskPage: object({ items: listOf(taskOrUnreadable('ListedTask')), page: PAGE }),
  BatchResults: object({
    results: listOf(
      object({ index: whole, status: whole, taskId: text, problem: ref('Problem') }, [
        'taskId',
        'problem',
      ]),
    ),
  }),
  Changes: object({
    items: listOf(taskOrUnreadable('TaskSummary')),
    lastEventId: { ...text, description: '`lastEventId` of the next request.' },
  }),
  Events: object({ items: listOf(ref('Event')) }),
  Event: object(
    {
      seq: whole,
      at: { type: 'string', format: 'date-time' },
      kind: text,
      step: text,
      run: { ...text, description: 'Id of the run, if it differs from the name of the step.' },
      direction: { enum: ['normal', 'rollback'] },
      attempt: whole,
      actor: text,
      message: text,
      stack: {
        ...text,
        description:
          'Of a failed attempt: where its error was thrown, with its causes. Only for roles from `operator` on.',
      },
      intended: {
        type: 'boolean',
        enum: [true],
        description:
          'Of a failed attempt: its command threw the error on purpose, and no other error caused it.',
      },
      refused: {
        type: 'boolean',
        enum: [true],
        description: 'It had no effect: refused before its command was entered, or given up.',
      },
      build: { ...text, description: 'Of a start by a worker: the build of its code.' },
      creates: {
        ...listOf(object({ type: text, id: text })),
        description: 'Of an outcome of a worker: what its command has made.',
      },
      released: {
        ...listOf(object({ type: text, id: text })),
        description: 'Of an outcome of a worker: what its command has removed.',
      },
      unapproved: {
        type: 'boolean',
        enum: [true],
        description: 'A skip that counts as done what asks people, without their yes.',
      },
    },
    [
      'step',
      'run',
      'direction',
      'attempt',
      'message',
      'stack',
      'intended',
      'refused',
      'unapproved',
      'build',
      'creates',
      'released',
    ],
  ),
  Flow: object({ ...flow, drill, file }, [...OPTIONAL_OF_FLOW, 'file']),
  Flows: object({
    items: listOf(
      object({ ...flow, drill, file, startable: flag, obstacle, retired: flag }, OPTIONAL_OF_FLOW),
    ),
    files: object({
      problems: {
        ...listOf(fileProblem),
        description: 'Mistakes in flow files. A flow with mistakes stays as it was last loaded.',
      },
    }),
    page: PAGE,
  }),
  StoredFlow: object({ ...flow, revived: flag, warnings: listOf(flowProblem) }, OPTIONAL_OF_FLOW),
  ...FLOW_SCHEMAS,
  ...SCHEDULE_SCHEMAS,
  ...NOTIFICATION_SCHEMAS,
  ...OUTPUT_SCHEMAS,
  Problem: object(
    {
      type: text,
      title: text,
      status: whole,
      detail: text,
      instance: text,
      code: growing(
        Object.keys(PROBLEMS),
        'Stable name of the error; `/docs/errors` explains each.',
      ),
      requestId: text,
      errors: listOf(fault),
      moreErrors: whole,
      supported: { ...listOf(whole), description: 'Numbers of worker protocols.' },
      reason: { ...text, description: 'Of `LEASE_LOST`: why the claim ended.' },
      recorded: { ...flag, description: 'Of `LEASE_LOST`: the report was kept.' },
    },
    ['requestId', 'errors', 'moreErrors', 'supported', 'reason', 'recorded'],
  ),
};
