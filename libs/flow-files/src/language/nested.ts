import { ACTION_EXAMPLE } from './action.js';
import { LISTS_MAX, ROUNDS_MAX, STEPS_MAX } from './limits.js';
import {
  caughtErrors,
  condition,
  durationOrExpression,
  EXPRESSION_PATTERN,
  partName,
} from './values.js';

/** Most lists of steps look like this: that of a flow, and those in its steps. */
export const steps = {
  title: 'a list of steps',
  type: 'array',
  minItems: 1,
  maxItems: STEPS_MAX,
  items: { $ref: '#/$defs/step' },
  examples: [[{ normal: ACTION_EXAMPLE }]],
};

export const group = {
  ...steps,
  description:
    'Steps that are undone as a whole when one of them fails, and may be tried again then.',
};

const CASE_EXAMPLE = { name: 'large', when: '{% size > 3 %}', steps: [{ normal: ACTION_EXAMPLE }] };

export const choice = {
  title: 'a list of cases',
  description: 'The first case whose `when` is true is run, else `otherwise`, else nothing.',
  type: 'array',
  minItems: 1,
  maxItems: LISTS_MAX,
  examples: [[CASE_EXAMPLE]],
  items: {
    title: 'a case (an object with `when` and `steps`)',
    type: 'object',
    required: ['when', 'steps'],
    additionalProperties: false,
    examples: [CASE_EXAMPLE],
    properties: {
      name: {
        ...partName,
        description: `${partName.description} Default: the position of the case, from 1.`,
      },
      when: { ...condition, description: 'Whether this case is run.' },
      steps: { ...steps, description: 'Steps of the case.' },
    },
  },
};

export const otherwise = {
  ...steps,
  description: 'Of a choice: steps that run if no case is true. Default: none.',
};

export const parallel = {
  title: 'an object whose members are lists of steps',
  description: 'Branches by name. They run side by side, and are undone together.',
  type: 'object',
  minProperties: 1,
  maxProperties: LISTS_MAX,
  propertyNames: partName,
  additionalProperties: { ...steps, description: 'Steps of the branch.' },
  examples: [{ left: [{ normal: ACTION_EXAMPLE }], right: [{ normal: ACTION_EXAMPLE }] }],
};

export const onBranchFailure = {
  title: '"cancel" or "wait"',
  description:
    'Of parallel branches: a failed one calls the others off (default), or they end first.',
  enum: ['cancel', 'wait'],
  default: 'cancel',
};

export const loop = {
  title: 'an object with `steps`, `max`, and `while` or `until`',
  description: 'Steps that are run again and again. All rounds are undone, last first.',
  type: 'object',
  required: ['steps', 'max'],
  oneOf: [{ required: ['while'] }, { required: ['until'] }],
  additionalProperties: false,
  examples: [{ steps: [{ normal: ACTION_EXAMPLE }], until: '{% isReady %}', max: 10 }],
  properties: {
    steps: { ...steps, description: 'Steps of each round.' },
    while: { ...condition, description: 'Asked after each round: true starts another one.' },
    until: { ...condition, description: 'Asked after each round: true ends the loop.' },
    max: {
      title: 'a whole number',
      description: 'Most rounds. If the condition asks for one more, the step fails: LOOP_LIMIT.',
      type: 'integer',
      minimum: 1,
      maximum: ROUNDS_MAX,
      examples: [10],
    },
    delay: { ...durationOrExpression, description: 'Wait between two rounds. Default: none.' },
  },
};

export const dynamic = {
  title: 'an object with `steps`',
  description:
    'Steps that are data: the result of the expression is checked like a file when the' +
    ' step is reached, and runs as a scope of its own.',
  type: 'object',
  required: ['steps'],
  additionalProperties: false,
  examples: [{ steps: '{% $steps.choose.steps %}' }],
  properties: {
    steps: {
      title: 'an expression',
      description: 'An expression whose result is a list of steps, written as in a flow file.',
      type: 'string',
      pattern: `^${EXPRESSION_PATTERN}$`,
      examples: ['{% $steps.choose.steps %}'],
    },
  },
};

export const catchClauses = {
  title: 'a list of objects with `errors` and `steps`',
  description:
    'Once the step has failed and was undone, the first clause that names the error runs' +
    ' its steps, and the step counts as succeeded.',
  type: 'array',
  minItems: 1,
  maxItems: LISTS_MAX,
  examples: [[{ errors: ['*'], steps: [{ normal: ACTION_EXAMPLE }] }]],
  items: {
    title: 'an object with `errors` and `steps`',
    type: 'object',
    required: ['errors', 'steps'],
    additionalProperties: false,
    examples: [{ errors: ['*'], steps: [{ normal: ACTION_EXAMPLE }] }],
    properties: {
      errors: caughtErrors,
      as: {
        $ref: '#/$defs/name',
        description: 'Under which name the steps see `{code, message, step}`. Default: none.',
        examples: ['error'],
      },
      steps: { ...steps, description: 'Steps that run instead.' },
    },
  },
};
