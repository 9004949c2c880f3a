import { DURATION_PATTERN } from '#wording';

const OBJECT = { type: 'object', additionalProperties: true } as const;
const duration = (description: string) => ({
  description,
  type: ['string', 'number'],
  pattern: DURATION_PATTERN,
  minimum: 0,
});

const answer = {
  description: 'What the command comes to in one attempt.',
  type: 'object',
  additionalProperties: false,
  properties: {
    output: { ...OBJECT, description: 'What it gives back. Default: nothing.' },
    error: {
      type: 'string',
      minLength: 1,
      description: 'It fails with this code. Default: it succeeds.',
    },
    message: { type: 'string', description: 'Of the error, for people.' },
    retryable: { type: 'boolean', description: 'The error may be tried again. Default: no.' },
    takes: duration('How long it takes. Default: a millisecond.'),
    effect: {
      type: 'boolean',
      description:
        'Whether it changes something outside. Default: it does where its step has a rollback, or' +
        ' where its name says so, as `create_vm` does.',
    },
  },
};

const signal = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'What the step waits for.' },
    after: duration('When it comes, counted from the start of the task. Default: at once.'),
    payload: { ...OBJECT, description: 'Default: {}.' },
  },
};

const approval = {
  type: 'object',
  additionalProperties: false,
  required: ['step'],
  properties: {
    step: { type: 'string', description: 'Name of the step that asks.' },
    after: duration('When it comes, counted from the start of the task. Default: at once.'),
    approve: { type: 'boolean', description: 'Yes or no. Default: yes.' },
    comment: { type: 'string' },
  },
};

const cell = {
  description: 'Cells that come out otherwise than clean. What is not said fits anything.',
  type: 'object',
  additionalProperties: false,
  required: ['result'],
  properties: {
    step: { type: 'string', description: 'Name of the step.' },
    direction: { enum: ['normal', 'rollback'] },
    where: { enum: ['before', 'during', 'after'] },
    how: { enum: ['error', 'time-out', 'crash'] },
    result: { enum: ['clean', 'held', 'stuck', 'residue'] },
  },
};

const scenario = {
  name: { type: 'string', minLength: 1, description: 'Default: its number.' },
  parameters: { ...OBJECT, description: 'Of the request. Default: made from the flow’s `input`.' },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  answers: {
    description:
      'What commands come to, by the name of a step or by `module.command`: an answer, or a list of' +
      ' them, one for each attempt, of which the last stands for all that follow. Of a step with child' +
      ' tasks: how these end, one for each of them.',
    type: 'object',
    additionalProperties: {
      anyOf: [
        { $ref: '#/$defs/answer' },
        { type: 'array', minItems: 1, items: { $ref: '#/$defs/answer' } },
      ],
    },
  },
  signals: {
    description: 'Signals that are sent. One that is not mentioned comes as soon as it is awaited.',
    type: 'array',
    items: signal,
  },
  approvals: {
    description: 'Answers of persons. A step that is not mentioned is approved.',
    type: 'array',
    items: approval,
  },
  expect: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: {
        description: 'How the flow ends undisturbed. Default: `succeeded`.',
        enum: ['succeeded', 'rolled_back', 'rollback_failed', 'on_hold'],
      },
      cells: { type: 'array', items: { $ref: '#/$defs/cell' } },
    },
  },
};

const scenarios = {
  ...scenario,
  scenarios: {
    description: 'Several scenarios, each with members as above.',
    type: 'array',
    minItems: 1,
    items: { type: 'object', additionalProperties: false, properties: scenario },
  },
};

/**
 * The schema of a file `<flow>.test.json`. `schemas/flow-test.v1.json` is a copy for editors; a
 * spec compares them.
 */
export const testFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://backstep.example/schemas/flow-test.v1.json',
  title: 'What a flow is tested with',
  description: 'Read by `backstep flow test`. One scenario, or several under `scenarios`.',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    ...scenarios,
    flows: {
      description: 'By the names of flows, in a test file for a flow file with several.',
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: false, properties: scenarios },
    },
  },
  $defs: { answer, cell },
};
