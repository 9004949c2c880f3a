import { LABELS_MAX } from '#core/values';
import { ACTION_EXAMPLE } from '#kinds';
import { action, flowLocks, step } from './language/step.js';
import { FLOWS_MAX, LABEL_TEXT_MAX, STEPS_MAX } from './language/limits.js';
import { steps } from './language/member-schema.js';
import {
  duration,
  errorCode,
  groupRetry,
  name,
  NAME_PATTERN,
  onCrash,
  retry,
} from './language/values.js';

const onFailure = {
  title: '"rollback", "hold", or an object with `hold`',
  description:
    'When a step has failed for good: undo everything (default), or wait for a person,' +
    ' who retries or skips the step or rolls back; with {"hold": "30m"} the task then' +
    ' rolls back by itself.',
  type: ['string', 'object'],
  pattern: '^(rollback|hold)$',
  examples: ['hold', { hold: '30m' }],
  required: ['hold'],
  additionalProperties: false,
  properties: { hold: { $ref: '#/$defs/duration', description: 'How long to wait for a person.' } },
};

const labels = {
  title: 'an object of texts',
  description:
    'Labels of its tasks: texts, or expressions over the parameters of the request,' +
    ' evaluated when a task is created. Labels of the request win.',
  type: 'object',
  maxProperties: LABELS_MAX,
  propertyNames: { ...name, title: 'the name of a label' },
  additionalProperties: {
    title: 'a text or an expression',
    type: 'string',
    maxLength: LABEL_TEXT_MAX,
    examples: ['{% fleet %}'],
  },
  examples: [{ fleet: '{% fleet %}' }],
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
    description: { title: 'text', description: 'Purpose of the flow.', type: 'string' },
    input: {
      title: 'a JSON Schema',
      description:
        'Schema of the parameters of a request. Undeclared ones are refused, unless' +
        ' `additionalProperties` says otherwise. Default: anything, with a warning.',
      type: 'object',
      examples: [
        { type: 'object', required: ['cpu'], properties: { cpu: { type: 'integer', minimum: 1 } } },
      ],
    },
    constants: {
      title: 'an object',
      description: 'Parameters that the request may override. Without expressions.',
      type: 'object',
      examples: [{ region: 'eu-1' }],
    },
    timeout: {
      $ref: '#/$defs/duration',
      description: 'Time for the way forward of the whole task. Default: no limit.',
    },
    onTimeout: {
      title: '"cancel" or "wait"',
      description:
        'When `timeout` is over: running commands are told to stop (default), or go on to their' +
        ' end. Then everything is undone.',
      enum: ['cancel', 'wait'],
      default: 'cancel',
      examples: ['wait'],
    },
    onFailure: { $ref: '#/$defs/onFailure' },
    labels,
    locks: flowLocks,
    failureFlow: {
      $ref: '#/$defs/name',
      description:
        'Name of a flow that is started, once, when a task has ended other than succeeded. Its' +
        ' parameters are `{taskId, flow, status, step, code, message}`.',
      examples: ['report-failure'],
    },
    maxLive: {
      title: 'a whole number',
      description:
        'Most tasks of the flow that may be unfinished at a time; a further request gets' +
        ' 429. Default: any number.',
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      examples: [20],
    },
    output: {
      description:
        'Output of the task once it has succeeded; it may have expressions. Default: null.',
    },
    steps,
  },
};

/**
 * The schema of a flow file. `schemas/flow.v1.json` is a copy for editors; a spec compares them.
 * It lives in the code so that no file has to be found at run time. Each `oneOf` says which members
 * exclude each other, and each `anyOf` which one a member belongs to; elsewhere there is none on
 * purpose: every error then points at one mistake, and titles and examples make the words people
 * read.
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
  $defs: { name, duration, errorCode, retry, groupRetry, onCrash, onFailure, action, step, flow },
};
