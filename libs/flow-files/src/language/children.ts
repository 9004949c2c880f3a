import { ACTION_EXAMPLE } from './action.js';
import { CONCURRENCY_MAX } from './limits.js';
import { steps } from './nested.js';
import { EXPRESSION_PATTERN, listOfValues } from './values.js';

const parameters = {
  title: 'an object or an expression',
  description: 'Parameters of the child task, which gets no others.',
  type: ['object', 'string'],
  pattern: `^${EXPRESSION_PATTERN}$`,
  examples: ['{% $ %}', { size: '{% size %}' }],
};

const flowName = {
  title: 'the name of a flow',
  description: 'Flow of the child tasks, text or an expression `{% ... %}`.',
  type: 'string',
  minLength: 1,
  examples: ['upgrade-host'],
};

export const foreach = {
  title: 'an object with `in`, `as`, and `steps` or `flow`',
  description:
    'A child task for each item of a list, at most `concurrency` at a time. Enough of' +
    ' them must succeed. On the way back the succeeded ones are undone, last item first.',
  type: 'object',
  required: ['in', 'as'],
  oneOf: [{ required: ['steps'] }, { required: ['flow'] }],
  dependentRequired: { parameters: ['flow'] },
  additionalProperties: false,
  examples: [{ in: '{% hosts %}', as: 'host', steps: [{ normal: ACTION_EXAMPLE }] }],
  properties: {
    in: { ...listOfValues, description: 'The items, at most 100,000.' },
    as: {
      $ref: '#/$defs/name',
      description: 'Under which name a child task sees its item. `$index` is its number, from 0.',
      examples: ['host'],
    },
    concurrency: {
      title: 'a whole number',
      description: 'Child tasks at a time. Default: 10.',
      type: 'integer',
      minimum: 1,
      maximum: CONCURRENCY_MAX,
      default: 10,
      examples: [10],
    },
    successPercent: {
      title: 'a number',
      description: 'Percentage of the child tasks that must succeed. Default: 100.',
      type: 'number',
      default: 100,
      examples: [90],
    },
    steps: { ...steps, description: 'Steps of each child task.' },
    flow: flowName,
    parameters: {
      ...parameters,
      description:
        'Parameters of each child task besides its item; expressions see the item under' +
        ' its name. Default: none.',
    },
  },
};

export const flow = {
  title: 'an object with `name`',
  description: 'One child task of another flow, which must succeed. Nothing is inherited.',
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  examples: [{ name: 'create-db-instance', parameters: '{% $ %}' }],
  properties: {
    name: flowName,
    version: {
      title: 'a whole number',
      description: 'Version of the flow. Default: the newest when the step is reached.',
      type: 'integer',
      minimum: 1,
      examples: [3],
    },
    parameters,
  },
};
