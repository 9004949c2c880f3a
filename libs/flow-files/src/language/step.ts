import { ACTION_EXAMPLE, CATCH, KIND_NAMES, kindsWith, OWN_MEMBERS } from '#kinds';
import { STEPS_MAX } from './limits.js';
import { stepLocks } from './locks.js';
import { memberSchema } from './member-schema.js';
import { condition } from './values.js';

const ofEveryStep = {
  name: {
    $ref: '#/$defs/name',
    description:
      'Unique within its list. Default: the command of `normal`, or the member that makes the step,' +
      ' with -2, -3, ...',
  },
  description: { title: 'text', description: 'For readers.', type: 'string' },
  needs: {
    title: 'a list of step names',
    description:
      'Steps of the same list that must have succeeded or been skipped first. A list in' +
      ' which no step has `needs` is a chain.',
    type: 'array',
    maxItems: STEPS_MAX,
    uniqueItems: true,
    items: { $ref: '#/$defs/name', examples: ['check'] },
    examples: [['check']],
  },
  if: {
    ...condition,
    description: 'If false, the step is skipped, and the steps that need it go on.',
  },
  optional: {
    title: 'true or false',
    description: 'Once it has failed and was undone, it is skipped. Default: false.',
    type: 'boolean',
    default: false,
    examples: [true],
  },
  pivot: {
    title: 'true or false',
    description: 'Once it has succeeded, nothing goes back past it by itself. Default: false.',
    type: 'boolean',
    default: false,
    examples: [true],
  },
  catch: memberSchema(CATCH),
  locks: stepLocks,
};

/** Members that only steps of some kinds have, besides those that make a step. */
const besides = [...OWN_MEMBERS.keys()].filter((name) => !KIND_NAMES.some((kind) => kind === name));

export const step = {
  title:
    'an object with one of the members that make a step, mostly `normal` (and `rollback` to undo it)',
  type: 'object',
  oneOf: KIND_NAMES.map((kind) => ({ required: [kind] })),
  dependentSchemas: Object.fromEntries(
    besides.map((member) => {
      return [member, { anyOf: kindsWith(member).map((kind) => ({ required: [kind] })) }];
    }),
  ),
  additionalProperties: false,
  examples: [{ normal: ACTION_EXAMPLE }],
  properties: {
    ...ofEveryStep,
    ...Object.fromEntries([...OWN_MEMBERS].map(([name, own]) => [name, memberSchema(own)])),
  },
};
