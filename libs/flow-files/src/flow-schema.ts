import { DURATION_PATTERN } from '#wording';
import { STEP_KINDS } from './step-kinds.js';

/** Most steps of one flow, those in its groups included. */
export const STEPS_MAX = 1_000;

/** Most groups that lie in each other. */
export const GROUPS_DEEP_MAX = 16;

/** Most flows of one file. */
export const FLOWS_MAX = 200;

/** Most starts of one action. */
export const ATTEMPTS_MAX = 1_000;

/** Most restarts of one action after crashes. */
export const RESTARTS_MAX = 100;

const NAME_PATTERN = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';

const ACTION_EXAMPLE = { module: 'mysql', command: 'init_instance' };

const duration = {
  title: 'a duration',
  description: 'A number of seconds, or text such as "500ms", "30s", "5m" or "2h".',
  type: ['number', 'string'],
  pattern: DURATION_PATTERN,
  examples: ['30s'],
};

const name = {
  title: 'a name',
  description: 'Letters, digits, `-`, `_` and `.`; at most 100, the first a letter or digit.',
  type: 'string',
  pattern: `^${NAME_PATTERN}$`,
  examples: ['init-instance'],
};

const retry = {
  title: 'a whole number of retries, or an object with `attempts`',
  description:
    'A number n: n retries after the first attempt, at once. An object: attempts in all, and waits.',
  type: ['integer', 'object'],
  minimum: 0,
  maximum: ATTEMPTS_MAX - 1,
  examples: [3, { attempts: 3, delay: '1s' }],
  required: ['attempts'],
  additionalProperties: false,
  properties: {
    attempts: {
      title: 'a whole number',
      description: 'Starts of the action in all, the first one included.',
      type: 'integer',
      minimum: 1,
      maximum: ATTEMPTS_MAX,
      examples: [3],
    },
    backoff: {
      title: 'a kind of back-off',
      description: 'How waits grow: all alike, or doubled each time. Default: exponential.',
      enum: ['fixed', 'exponential'],
      default: 'exponential',
    },
    delay: { $ref: '#/$defs/duration', description: 'Wait before the first retry. Default: 1s.' },
    maxDelay: {
      title: 'a duration, or null for no limit',
      description: 'No wait gets longer. Default: 1m when exponential, else none.',
      type: ['number', 'string', 'null'],
      pattern: DURATION_PATTERN,
      examples: ['1m'],
    },
    jitter: {
      title: 'true or false',
      description: 'Spread waits, so that many tasks do not come back at once. Default: false.',
      type: 'boolean',
      default: false,
      examples: [true],
    },
  },
};

const onCrash = {
  title: '"fail", or an object with `restarts`',
  description:
    'When its process dies: how often it is started again besides its retries (default: 3, for a' +
    ' rollback 10), or "fail": never, it has failed.',
  type: ['string', 'object'],
  pattern: '^fail$',
  examples: [{ restarts: 3 }, 'fail'],
  required: ['restarts'],
  additionalProperties: false,
  properties: {
    restarts: {
      title: 'a whole number',
      description: 'Starts after lost ones that use up no retry.',
      type: 'integer',
      minimum: 0,
      maximum: RESTARTS_MAX,
      examples: [3],
    },
  },
};

const onFailure = {
  title: '"rollback", "hold", or an object with `hold`',
  description:
    'When a step has failed for good: undo everything (default), or wait for a person, who retries' +
    ' or skips the step or rolls back; {"hold": "30m"}: after that it rolls back by itself.',
  type: ['string', 'object'],
  pattern: '^(rollback|hold)$',
  examples: ['hold', { hold: '30m' }],
  required: ['hold'],
  additionalProperties: false,
  properties: {
    hold: { $ref: '#/$defs/duration', description: 'How long to wait for a person.' },
  },
};

/** Without a type, as only `rollback` may be null. */
const action = {
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
      description: 'What the executor does.',
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
      description: 'Constants for this action alone; they win over all else of the same name.',
      type: 'object',
      examples: [{ role: 'primary' }],
    },
  },
};

/** Most lists of steps look like this: that of a flow, and that of each group. */
const steps = {
  title: 'a list of steps',
  type: 'array',
  minItems: 1,
  maxItems: STEPS_MAX,
  items: { $ref: '#/$defs/step' },
  examples: [[{ normal: ACTION_EXAMPLE }]],
};

const step = {
  title: 'an object with `normal` (and `rollback` to undo it) or with `group`',
  type: 'object',
  oneOf: STEP_KINDS.map((kind) => ({ required: [kind] })),
  dependentRequired: { rollback: ['normal'], retry: ['group'], timeout: ['group'] },
  additionalProperties: false,
  examples: [{ normal: ACTION_EXAMPLE }],
  properties: {
    name: {
      $ref: '#/$defs/name',
      description:
        'Unique within its list. Default: the command of `normal`, or `group`, with -2, -3, ...',
    },
    description: { title: 'text', description: 'For readers.', type: 'string' },
    needs: {
      title: 'a list of step names',
      description:
        'Steps of the same list that must succeed first. Used nowhere in a list, it is a chain.',
      type: 'array',
      maxItems: STEPS_MAX,
      uniqueItems: true,
      items: { $ref: '#/$defs/name', examples: ['check'] },
      examples: [['check']],
    },
    normal: {
      title: 'an action (an object with `module` and `command`)',
      description: 'What to do.',
      type: 'object',
      examples: [ACTION_EXAMPLE],
      $ref: '#/$defs/action',
    },
    rollback: {
      title: 'an action or null',
      description: 'How to undo `normal`. Missing or null: there is nothing to undo.',
      type: ['object', 'null'],
      examples: [ACTION_EXAMPLE],
      $ref: '#/$defs/action',
    },
    group: {
      ...steps,
      description:
        'Steps that are undone as a whole when one of them fails, and may be tried again then.',
    },
    retry: {
      $ref: '#/$defs/retry',
      description:
        'Of a group: how often, and after which waits, all of it is tried again once it is undone.',
    },
    timeout: {
      $ref: '#/$defs/duration',
      description: 'Of a group: time for the way forward of all its tries. Default: no limit.',
    },
  },
};

const flow = {
  title: 'a list of steps, or an object with `steps`',
  type: ['array', 'object'],
  minItems: 1,
  maxItems: STEPS_MAX,
  items: { $ref: '#/$defs/step' },
  required: ['steps'],
  additionalProperties: false,
  examples: [[{ normal: ACTION_EXAMPLE }]],
  properties: {
    description: { title: 'text', description: 'What the flow is for.', type: 'string' },
    input: {
      title: 'a JSON Schema',
      description:
        'What the parameters of a request must look like; others than declared are refused, unless' +
        ' `additionalProperties` says otherwise. Default: anything, with a warning.',
      type: 'object',
      examples: [
        { type: 'object', required: ['cpu'], properties: { cpu: { type: 'integer', minimum: 1 } } },
      ],
    },
    timeout: {
      $ref: '#/$defs/duration',
      description: 'Time for the way forward of the whole task. Default: no limit.',
    },
    onFailure: { $ref: '#/$defs/onFailure' },
    steps,
  },
};

/**
 * What a flow file looks like. `schemas/flow.v1.json` is this, for editors; a spec compares them.
 * It lives in the code so that no file has to be found at run time. Its one `oneOf` tells the kinds
 * of steps apart; elsewhere there is none on purpose: every error then points at one mistake, and
 * titles and examples make the words people read.
 */
export const flowFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'an object whose members are flows',
  description: 'Flows by name. A flow is a list of steps (a chain), or an object with `steps`.',
  type: 'object',
  maxProperties: FLOWS_MAX + 1,
  properties: { $schema: { type: 'string', title: 'text', examples: ['../schemas/flow.v1.json'] } },
  propertyNames: { ...name, pattern: `^([$]schema|${NAME_PATTERN})$` },
  additionalProperties: { $ref: '#/$defs/flow' },
  $defs: { name, duration, retry, onCrash, onFailure, action, step, flow },
};
