import { LOCK_NAME_MAX, SLOTS_MAX } from '#core';
import { LABEL_TEXT_MAX, LOCKS_MAX } from './limits.js';

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

export const stepLocks = {
  ...locks,
  description: 'Locks that are held while the step runs, and while it is undone.',
};
