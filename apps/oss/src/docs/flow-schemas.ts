import { recordDrillReader } from '../flows/record-drill.request.js';
import { planDraftReader, planFlowReader } from '../flows/plan-flow.request.js';
import { listOf, object, PAGE, ref } from './schema-parts.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const flag = { type: 'boolean' };

const problem = {
  pointer: text,
  line: whole,
  column: whole,
  code: text,
  type: { ...text, description: 'Path of the page about the code.' },
  message: text,
  hint: text,
};

/** A mistake in a flow, and its place. */
export const flowProblem = object(problem);

/** A mistake in a file of the folder of flows. */
export const fileProblem = object({
  flow: { type: ['string', 'null'], description: 'Null: all flows of the file.' },
  file: {
    type: ['string', 'null'],
    description: 'Path within the folder; null: the folder itself.',
  },
  ...problem,
});

const place = {
  step: { ...text, description: 'Its name, after the names of the steps around it.' },
  pointer: {
    ...text,
    description: 'JSON Pointer into the version that has it, as `GET` shows it.',
  },
};

const members = listOf(
  object(
    {
      pointer: text,
      from: { description: 'Absent: the member is new.' },
      to: { description: 'Absent: the member is gone.' },
    },
    ['from', 'to'],
  ),
);

const texts = listOf(text);

const plannedStep = {
  step: text,
  id: { ...text, description: 'Id of its run.' },
  kind: text,
  module: text,
  command: text,
  parameters: {
    type: 'object',
    description: 'Expressions without a value yet are shown as written.',
  },
  children: {
    ...object({
      count: { type: ['integer', 'null'], description: 'Null: known only when it runs.' },
      flow: { type: ['string', 'null'], description: 'Null: steps of the flow itself.' },
      items: {
        oneOf: [listOf({ $ref: '#/components/schemas/PlannedStep' }), { type: 'null' }],
        description: 'The plan of one of them; null: its flow is unknown, or is a flow around it.',
      },
      ends: { enum: ['succeeded', 'fails', 'open'] },
    }),
    description: 'The child tasks of the step.',
  },
  back: { ...texts, description: 'Ids of the runs that are undone, in order, if this step fails.' },
};

const action = {
  type: 'object',
  required: ['module', 'command'],
  properties: { module: text, command: text },
};

const defaults = {
  description: { ...text, description: 'For readers.' },
  timeout: { type: ['string', 'number'], description: 'As a flow file writes it.' },
  attemptTimeout: { type: ['string', 'number'], description: 'As a flow file writes it.' },
  retry: { type: ['integer', 'object'], description: 'As a flow file writes it.' },
  onCrash: { description: 'As a flow file writes it.' },
  rollback: {
    oneOf: [action, { type: 'null' }],
    description: 'Used by steps without a rollback of their own; null: there is nothing to undo.',
  },
};

const command = {
  type: 'object',
  required: ['module', 'command', 'timeUpdate'],
  properties: { module: text, command: text, timeUpdate: { type: 'integer' }, ...defaults },
};

/** The schemas of what flows inherit, by name. */
const COMMAND_SCHEMAS: Readonly<Record<string, object>> = {
  CommandDefaults: { type: 'object', additionalProperties: false, properties: defaults },
  Command: command,
  Commands: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/Command' } },
      page: PAGE,
    },
  },
};

const duration = {
  oneOf: [ref('StatisticsDuration'), { type: 'null' }],
  description: 'Null: nothing ended.',
};

const rate = (of: string): object => ({
  oneOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }],
  description: `Share of ${of}, from 0 to 1; null: there are none.`,
});

const ends = {
  started: { ...whole, description: 'Tasks that were created.' },
  ended: {
    ...object({ succeeded: whole, rolled_back: whole, terminated: whole }),
    description: 'Tasks that ended, by status. A task that is undone later ends twice.',
  },
  rollbackFailed: {
    ...whole,
    description: 'Rollbacks of steps that failed for good, so that a person was called.',
  },
  successRate: rate('the tasks that ended, those that succeeded'),
  duration,
};

const seconds = { type: 'integer', description: 'Seconds since 1970.' };

/** The schemas of the statistics of flows. */
const STATISTICS_SCHEMAS: Readonly<Record<string, object>> = {
  StatisticsDuration: object({
    p50: { type: 'number', description: 'Seconds; half of them took no longer, within 20 %.' },
    p95: { type: 'number', description: 'The same of 95 in 100.' },
    max: { type: 'number', description: 'Seconds that the longest took.' },
  }),
  StatisticsInterval: object({ at: seconds, ...ends }),
  StepStatistics: object({
    step: {
      ...text,
      description: 'Its name, after the names of the steps around it; `*`: all further steps.',
    },
    direction: { type: 'string', enum: ['normal', 'rollback'] },
    succeeded: whole,
    failed: { ...whole, description: 'They failed, timed out or were lost, with no attempt left.' },
    cancelled: whole,
    retries: { ...whole, description: 'Attempts that were followed by another one.' },
    failureRate: rate('those that succeeded or failed, those that failed'),
    duration: { ...duration, description: 'From the first start to the end, with all retries.' },
    errors: {
      ...listOf(object({ code: text, count: whole })),
      description:
        'The most frequent error codes of attempts that failed; `*`: all codes that are rare.',
    },
  }),
  FlowStatistics: object({
    flow: text,
    over: { type: 'string', enum: ['hour', 'day', 'month'] },
    from: { ...seconds, description: 'Begin of the first interval, in seconds since 1970.' },
    to: seconds,
    every: { ...whole, description: 'Length of an interval, in seconds.' },
    isComplete: {
      type: 'boolean',
      description: 'False: there is more than can be added up; the newest is shown.',
    },
    ...ends,
    intervals: { ...listOf(ref('StatisticsInterval')), description: 'The oldest first.' },
    steps: listOf(ref('StepStatistics')),
  }),
};

/** The schemas of the versions of flows. */
export const FLOW_SCHEMAS: Readonly<Record<string, object>> = {
  ...COMMAND_SCHEMAS,
  ...STATISTICS_SCHEMAS,
  Validation: object({ valid: flag, problems: listOf(flowProblem), warnings: listOf(flowProblem) }),
  RecordDrill: recordDrillReader.schema,
  Drill: object({
    version: { ...whole, description: 'The drilled version.' },
    at: { ...whole, description: 'Seconds since 1970.' },
    passed: { ...flag, description: 'Every play came out as expected.' },
    failures: { ...whole, description: 'Plays that did not come out as expected.' },
    total: { ...whole, description: 'Plays in all.' },
  }),
  FlowText: {
    ...planDraftReader.schema.properties['flow'],
    description: 'A flow as flow files write it, without its name: an object, or a list of steps.',
  },
  FlowFileText: {
    description: 'A flow file: an object of flows by their names. Anything else has mistakes.',
  },
  PlanFlow: planFlowReader.schema,
  PlanDraft: planDraftReader.schema,
  PlannedStep: object(plannedStep, ['module', 'command', 'parameters', 'children']),
  FlowPlan: object({
    flow: text,
    version: { ...whole, description: '0: it is not stored.' },
    items: listOf({ $ref: '#/components/schemas/PlannedStep' }),
    back: {
      ...texts,
      description: 'Ids of the runs that are undone, in order, by a rollback at the very end.',
    },
    ends: {
      enum: ['succeeded', 'fails', 'open'],
      description: '`open`: the plan is cut, or stops at a step that cannot be planned.',
    },
    assumptions: {
      ...listOf(object({ step: text, member: text, template: {}, taken: {} })),
      description: 'Members that depend on results of a run, and the values assumed for them.',
    },
  }),
  FlowVersions: object({
    items: listOf(
      object({
        version: whole,
        hash: text,
        timeCreate: { ...whole, description: 'Seconds since 1970.' },
      }),
    ),
    page: PAGE,
  }),
  FlowDiff: object({
    flow: text,
    from: whole,
    to: whole,
    added: listOf(object(place)),
    removed: listOf(object(place)),
    changed: listOf(object({ ...place, members })),
    members: { ...members, description: 'Changed members of the flow itself.' },
  }),
};
