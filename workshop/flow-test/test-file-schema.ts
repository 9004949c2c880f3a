import { DURATION_PATTERN } from '#wording';

const OBJECT = { type: 'object', additionalProperties: true } as const;
const duration = (description: string) => ({
  description,
  type: ['string', 'number'],
  pattern: DURATION_PATTERN,
  minimum: 0,
});

const answer = {
  description: 'The result of one attempt of the command.',
  type: 'object',
  additionalProperties: false,
  properties: {
    output: { ...OBJECT, description: 'The output of the command. Default: none.' },
    error: {
      type: 'string',
      minLength: 1,
      description: 'The code with which the attempt fails. Default: it succeeds.',
    },
    message: { type: 'string', description: 'The message of the error.' },
    retryable: {
      type: 'boolean',
      description: 'Whether the error may be retried. Default: false.',
    },
    takes: duration('How long the attempt takes. Default: 1 ms.'),
    effect: {
      type: 'boolean',
      description:
        'Whether the command has an effect. Default: true if the step has a rollback, or if the' +
        ' name of the command says so, such as `create_vm`.',
    },
  },
};

const signal = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'The name of the signal that the step waits for.' },
    after: duration('Time from the start of the task until it arrives. Default: 0.'),
    payload: { ...OBJECT, description: 'Default: {}.' },
  },
};

const approval = {
  type: 'object',
  additionalProperties: false,
  required: ['step'],
  properties: {
    step: { type: 'string', description: 'The name of the step that asks for approval.' },
    after: duration('Time from the start of the task until it arrives. Default: 0.'),
    approve: { type: 'boolean', description: 'Whether the step is approved. Default: true.' },
    comment: { type: 'string' },
  },
};

const cell = {
  description:
    'A cell whose expected result is not `clean`. A member that is left out matches any value.',
  type: 'object',
  additionalProperties: false,
  required: ['result'],
  properties: {
    step: { type: 'string', description: 'The name of the step.' },
    direction: { enum: ['normal', 'rollback'] },
    where: { enum: ['before', 'during', 'after'] },
    how: { enum: ['error', 'time-out', 'crash'] },
    result: { enum: ['clean', 'held', 'stuck', 'residue'] },
  },
};

const scenario = {
  name: {
    type: 'string',
    minLength: 1,
    description: 'The name of the scenario. Default: its number.',
  },
  parameters: {
    ...OBJECT,
    description: 'The parameters of the task. Default: sample values for the flow’s `input`.',
  },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  answers: {
    description:
      'The results of commands, by the name of a step or by `module.command`: one answer, or a list' +
      ' with an answer for each attempt. The last answer is repeated. For a step with child tasks,' +
      ' the list has an answer for each child task.',
    type: 'object',
    additionalProperties: {
      anyOf: [
        { $ref: '#/$defs/answer' },
        { type: 'array', minItems: 1, items: { $ref: '#/$defs/answer' } },
      ],
    },
  },
  signals: {
    description:
      'Signals to send. A signal that is not listed arrives a second after a step begins to wait for it.',
    type: 'array',
    items: signal,
  },
  approvals: {
    description: 'Answers to approvals. A step that is not listed is approved after a second.',
    type: 'array',
    items: approval,
  },
  expect: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: {
        description: 'The status of the task if no fault is injected. Default: `succeeded`.',
        enum: ['succeeded', 'rolled_back', 'rollback_failed', 'on_hold'],
      },
      cells: { type: 'array', items: { $ref: '#/$defs/cell' } },
    },
  },
};

const scenarios = {
  ...scenario,
  scenarios: {
    description: 'Several scenarios. Each has the members of a single scenario.',
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
  title: 'Test file of a flow',
  description: 'The file for `backstep flow test`: one scenario, or several under `scenarios`.',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    ...scenarios,
    flows: {
      description: 'Scenarios by flow name, if the flow file has several flows.',
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: false, properties: scenarios },
    },
  },
  $defs: { answer, cell },
};
