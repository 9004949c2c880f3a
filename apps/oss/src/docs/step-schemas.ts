import { FAILURE_CODES, NORMAL_MOVES, ROLLBACK_MOVES } from '#core';
import { DECLARATIONS, KIND_NAMES } from '#kinds';
import { AWAITED_NEWS } from '../tasks/awaited-news.js';
import {
  COMMON_MEMBERS,
  commonMembers,
  KIND_SCHEMAS,
  kindMembers,
  OPTIONAL_OF_KIND,
} from './kind-schemas.js';
import { listOf, object, ref, told } from './schema-parts.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const whole = { type: 'integer' };
const number = { type: 'number' };
const secondsOrNull = { type: ['integer', 'null'], description: 'Seconds since 1970.' };
const anything = { type: 'object' };
const anythingOrNull = { type: ['object', 'null'] };
const texts = listOf(text);

type Schemas = Readonly<Record<string, object>>;

const failures = Object.entries(FAILURE_CODES).map(([name, number]) => `${number} ${name}`);

const retryPolicy = object(
  {
    attempts: whole,
    backoff: { enum: ['none', 'fixed', 'exponential'] },
    delay: number,
    maxDelay: { type: ['number', 'null'] },
    jitter: { type: 'boolean' },
    only: { ...texts, description: 'Only errors with these codes are retried.' },
    never: { ...texts, description: 'Errors with these codes are never retried.' },
  },
  ['only', 'never'],
);

const retry = {
  description: 'Number of immediate retries after the first attempt, or a policy.',
  oneOf: [whole, ref('RetryPolicy')],
};

const action = {
  module: text,
  command: text,
  timeout: { ...number, description: 'Seconds, for all attempts together.' },
  attemptTimeout: { ...number, description: 'Seconds, for one attempt.' },
  retry,
  onCrash: {
    description: 'If its process dies: restarts that use up no retry, or `fail`.',
    oneOf: [ref('Restarts'), { const: 'fail' }],
  },
  parameters: anything,
};
const OPTIONAL_OF_ACTION = ['attemptTimeout', 'parameters'];

const run = {
  code: { ...whole, description: `0: no error; else ${failures.join(', ')}.` },
  message: textOrNull,
  timeStart: secondsOrNull,
  timeEnd: secondsOrNull,
  attempts: whole,
};

const values = { ...anything, description: 'Results of the expressions.' };

const waitsFor = {
  enum: AWAITED_NEWS,
  description:
    'Of a waiting action: what people or other systems have to say. Absent: it goes on by itself.',
};
const progress = ref('Progress');
const OPTIONAL_OF_RUN = ['progress', 'values', 'waitsFor'];

const rollback = object(
  { ...action, state: ref('UndoState'), ...run, progress, waitsFor, values },
  [...OPTIONAL_OF_ACTION, ...OPTIONAL_OF_RUN],
);

const flowStep = { name: text, needs: texts };

/** The members of every step of a task, by its kind. */
function stepOf(kind: string): Readonly<Record<string, object>> {
  return {
    name: text,
    kind: { const: kind, description: 'Kind of the step: the member of the flow that defines it.' },
    needs: texts,
    id: { ...text, description: 'Id of the present run, never used twice in the task.' },
    generation: { ...whole, description: '1, plus 1 with every reset.' },
    state: ref('StepState'),
    ...run,
    progress,
    waitsFor,
    values,
    output: anythingOrNull,
    ...commonMembers(null),
  };
}

const undoOrNull = { oneOf: [ref('UndoAction'), { type: 'null' }] };
const scopes = {
  ...listOf(ref('Scope')),
  description: 'Empty until the step is entered. Of a group: its present try.',
};
const children = {
  ...object({
    ...{ total: whole, started: whole, succeeded: whole, failed: whole, active: whole },
    way: {
      enum: ['forward', 'back'],
      description: '`back`: they are undone, and those that are undone count as failed.',
    },
  }),
  description: 'Counts of the child tasks of the step, as of the last look.',
};
const scopeKind = { enum: ['try', 'case', 'branch', 'round', 'catch', 'dynamic'] };
const actionOrNull = [ref('GraphAction'), { type: 'null' }];
const OPTIONAL_OF_STEP = [...OPTIONAL_OF_RUN, ...COMMON_MEMBERS, ...OPTIONAL_OF_KIND];

/** The schemas of the steps of a task, by their names. */
function taskSteps(): Schemas {
  const steps = DECLARATIONS.map(([kind, { work }]) => {
    const isHolder = work === 'steps';
    const isParent = work === 'children';
    const own = {
      ...stepOf(kind),
      ...kindMembers(kind, null),
      ...(!isHolder && !isParent && { rollback: undoOrNull }),
      ...(isParent && { children }),
      scopes,
    };
    return [
      nameOf('Step', kind),
      object(own, [...OPTIONAL_OF_STEP, ...(isHolder ? [] : ['scopes'])]),
    ];
  });
  return Object.fromEntries(steps) as Schemas;
}

/** The schemas of the steps of a flow, by their names. */
function flowSteps(): Schemas {
  const list = listOf(ref('FlowStep'));
  const undo = { oneOf: [ref('Action'), { type: 'null' }] };
  const head = { ...flowStep, ...commonMembers(list) };
  const steps = DECLARATIONS.map(([kind, { members }]) => {
    const own = {
      ...head,
      ...kindMembers(kind, list),
      ...('rollback' in members && { rollback: undo }),
    };
    return [nameOf('FlowStep', kind), object(own, [...COMMON_MEMBERS, ...OPTIONAL_OF_KIND])];
  });
  return Object.fromEntries(steps) as Schemas;
}

/** `StepGroup`: tools make a type of each schema that has a name. */
function nameOf(prefix: string, kind: string): string {
  return `${prefix}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

function namesByKind(prefix: string): Readonly<Record<string, string>> {
  return Object.fromEntries(KIND_NAMES.map((kind) => [kind, nameOf(prefix, kind)]));
}

const stepsOfTasks = taskSteps();
const stepsOfFlows = flowSteps();

/** The schemas of steps, of tasks and of flows, and of what they are made of. */
export const STEP_SCHEMAS: Schemas = {
  Step: told('kind', namesByKind('Step')),
  ...stepsOfTasks,
  StepState: { enum: Object.keys(NORMAL_MOVES) },
  UndoState: { enum: Object.keys(ROLLBACK_MOVES) },
  TaskGraph: object({
    nodes: {
      ...listOf(ref('GraphNode')),
      description: 'In the order of the steps; the steps in a step follow it.',
    },
    edges: {
      ...listOf(ref('GraphEdge')),
      description:
        'Between steps of one list, and from a step to those with which a scope in it begins.',
    },
  }),
  GraphNode: object({
    id: { ...text, description: 'Id of the present run of the step.' },
    name: text,
    kind: { enum: KIND_NAMES },
    state: ref('StepState'),
    in: {
      description: 'The scope that the step stands in; null: it is one of the task itself.',
      oneOf: [ref('GraphScope'), { type: 'null' }],
    },
    action: { description: 'Null: the step has no command.', oneOf: actionOrNull },
    undo: {
      description: 'Null: the step has no undo.',
      oneOf: [ref('GraphUndo'), { type: 'null' }],
    },
    pivot: { type: 'boolean', description: 'It is a point of no return.' },
    generation: { ...whole, description: '1, plus 1 with every reset.' },
    attempts: whole,
    timeStart: secondsOrNull,
    timeEnd: secondsOrNull,
    children: { description: 'Null: it has no child tasks.', oneOf: [children, { type: 'null' }] },
  }),
  GraphEdge: object({
    from: { ...text, description: 'Id of a node.' },
    to: { ...text, description: 'Id of a node.' },
    used: { type: 'boolean', description: 'Whether the task went this way.' },
  }),
  GraphScope: object({
    step: { ...text, description: 'Id of the step that has the scope.' },
    kind: scopeKind,
    name: text,
    title: { ...text, description: 'Kind and name, as drawings show them.' },
    way: { enum: ['forward', 'back'] },
  }),
  GraphAction: object({ module: text, command: text }),
  GraphUndo: object(
    {
      state: ref('UndoState'),
      action: {
        description: 'Null: the steps or child tasks in it are undone.',
        oneOf: actionOrNull,
      },
      of: { ...text, description: 'The part that is undone, such as a try. Absent: all of it.' },
    },
    ['of'],
  ),
  Scope: object({
    kind: scopeKind,
    name: { ...text, description: 'Name of the scope. Of a try or a round: its number, from 1.' },
    way: { enum: ['forward', 'back'] },
    steps: listOf(ref('Step')),
  }),
  FlowStep: { oneOf: Object.keys(stepsOfFlows).map(ref) },
  ...stepsOfFlows,
  Action: object(action, OPTIONAL_OF_ACTION),
  UndoAction: rollback,
  RetryPolicy: retryPolicy,
  Restarts: object({ restarts: whole }),
  CompletedRun: object({
    taskId: text,
    step: { ...text, description: 'Id of the run.' },
    state: {
      enum: [...new Set([...Object.keys(NORMAL_MOVES), ...Object.keys(ROLLBACK_MOVES)])],
      description: 'Of the action of the run that the token belongs to.',
    },
  }),
  ...KIND_SCHEMAS,
};
