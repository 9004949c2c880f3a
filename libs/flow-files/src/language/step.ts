import { ACTION_EXAMPLE, CATCH, KIND_NAMES, kindsWith, OWN_MEMBERS } from '#kinds';
import { SLOTS_MAX } from '#core/flow';
import { LOCK_NAME_MAX } from '#core/locks';
import { LABEL_TEXT_MAX, LOCKS_MAX, STEPS_MAX } from './limits.js';
import { memberSchema } from './member-schema.js';
import { condition } from './values.js';

/** Without a type, as only `rollback` may be null. */
export const action = {
  required: ['module', 'command'],
  additionalProperties: false,
  properties: {
    module: {
      $ref: '#/$defs/name',
      description: 'The module whose executor runs the command.',
      examples: ['mysql'],
    },
    command: {
      $ref: '#/$defs/name',
      description: 'Name of the command.',
      examples: ['init_instance'],
    },
    timeout: {
      $ref: '#/$defs/duration',
      description: 'Time for all attempts together, from the first start. Default: 300 seconds.',
    },
    attemptTimeout: {
      $ref: '#/$defs/duration',
      description: 'Time for one attempt. Default: only `timeout` counts.',
    },
    retry: { $ref: '#/$defs/retry' },
    onCrash: { $ref: '#/$defs/onCrash' },
    parameters: {
      title: 'an object',
      description:
        'Constants and expressions for this action alone; they win over all other' +
        ' parameters of the same name.',
      type: 'object',
      examples: [{ role: 'primary' }],
    },
  },
};

const lock = {
  title: 'an object with `name`',
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  examples: [{ name: "{% 'fleet:' & fleet %}", slots: 1 }],
  properties: {
    name: {
      title: 'a text or an expression',
      description: `Name of the lock, at most ${LOCK_NAME_MAX} characters. All flows share the names.`,
      type: 'string',
      minLength: 1,
      maxLength: LABEL_TEXT_MAX,
      examples: ["{% 'fleet:' & fleet %}"],
    },
    slots: {
      title: 'a whole number',
      description: 'Most tasks that may hold it at a time. Default: 1.',
      type: 'integer',
      minimum: 1,
      maximum: SLOTS_MAX,
      default: 1,
      examples: [1],
    },
  },
};

const locks = {
  title: 'a list of locks',
  type: 'array',
  minItems: 1,
  maxItems: LOCKS_MAX,
  items: lock,
  examples: [[{ name: "{% 'fleet:' & fleet %}", slots: 1 }]],
};

export const flowLocks = {
  ...locks,
  description:
    'Locks that each task holds from its first step to its very end, its way back included.',
};

const stepLocks = {
  ...locks,
  description: 'Locks that are held while the step runs, and while it is undone.',
};

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
