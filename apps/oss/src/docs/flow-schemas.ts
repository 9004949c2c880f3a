import { COMMAND_SCHEMAS } from './command-schemas.js';
import { recordDrillReader } from '../flows/record-drill.request.js';
import { planDraftReader, planFlowReader } from '../flows/plan-flow.request.js';
import { listOf, object } from './schema-parts.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const flag = { type: 'boolean' };

const problem = {
  pointer: text,
  line: whole,
  column: whole,
  code: text,
  type: { ...text, description: 'The address, within the gateway, of the page about the code.' },
  message: text,
  hint: text,
};

/** A mistake in a flow, and its place. */
export const flowProblem = object(problem);

/** A mistake in a file of the folder of flows. */
export const fileProblem = object({
  flow: { type: ['string', 'null'], description: 'Null: all flows of the file.' },
  file: { type: ['string', 'null'], description: 'Within the folder; null: the folder itself.' },
  ...problem,
});

const place = {
  step: { ...text, description: 'Its name, after those of the steps that hold it.' },
  pointer: { ...text, description: 'Into the version that has it, as `GET` shows it.' },
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
  id: { ...text, description: 'Of its run.' },
  kind: text,
  module: text,
  command: text,
  parameters: { type: 'object', description: 'What has no value yet stands as it was written.' },
  children: {
    ...object({
      count: { type: ['integer', 'null'], description: 'Null: only a run tells.' },
      flow: { type: ['string', 'null'], description: 'Null: steps of the flow itself.' },
      items: {
        oneOf: [listOf({ $ref: '#/components/schemas/PlannedStep' }), { type: 'null' }],
        description: 'The plan of one of them; null: its flow is not known, or stands around it.',
      },
      ends: { enum: ['succeeded', 'fails', 'open'] },
    }),
    description: 'The child tasks of the step.',
  },
  back: { ...texts, description: 'Ids of what is undone, in this order, if it fails here.' },
};

/** The schemas of the versions of flows. */
export const FLOW_SCHEMAS: Readonly<Record<string, object>> = {
  ...COMMAND_SCHEMAS,
  Validation: object({
    valid: flag,
    problems: listOf(flowProblem),
    warnings: listOf(flowProblem),
  }),
  RecordDrill: recordDrillReader.schema,
  Drill: object({
    version: { ...whole, description: 'The one that was drilled.' },
    at: { ...whole, description: 'Seconds since 1970.' },
    passed: { ...flag, description: 'Every play came out as expected.' },
    failures: { ...whole, description: 'Plays that did not.' },
    total: { ...whole, description: 'Plays in all.' },
  }),
  PlanFlow: planFlowReader.schema,
  PlanDraft: planDraftReader.schema,
  PlannedStep: object(plannedStep, ['module', 'command', 'parameters', 'children']),
  FlowPlan: object({
    flow: text,
    version: { ...whole, description: '0: it is not stored.' },
    items: listOf({ $ref: '#/components/schemas/PlannedStep' }),
    back: { ...texts, description: 'Undone in this order if it went back at its very end.' },
    ends: {
      enum: ['succeeded', 'fails', 'open'],
      description: '`open`: there is more than is shown, or something that a plan cannot pass.',
    },
    assumptions: {
      ...listOf(object({ step: text, member: text, template: {}, taken: {} })),
      description: 'Members that need what only a run gives, and what was taken for them.',
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
    page: object({ nextCursor: { type: ['string', 'null'] } }),
  }),
  FlowDiff: object({
    flow: text,
    from: whole,
    to: whole,
    added: listOf(object(place)),
    removed: listOf(object(place)),
    changed: listOf(object({ ...place, members })),
    members: { ...members, description: 'Of the flow itself.' },
  }),
};
