import { STEP_KINDS, HOLDING_MEMBERS } from '../step-kinds.js';
import { ACTION_EXAMPLE } from './action.js';
import * as children from './children.js';
import { STEPS_MAX } from './limits.js';
import { stepLocks } from './locks.js';
import * as nested from './nested.js';
import * as single from './single.js';
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
  catch: nested.catchClauses,
  locks: stepLocks,
};

export const step = {
  title:
    'an object with one of the members that make a step, mostly `normal` (and `rollback` to undo it)',
  type: 'object',
  oneOf: STEP_KINDS.map((kind: string) => ({ required: [kind] })),
  dependentSchemas: Object.fromEntries(
    Object.entries(HOLDING_MEMBERS).map(([member, kinds]) => {
      return [member, { anyOf: kinds.map((kind) => ({ required: [kind] })) }];
    }),
  ),
  additionalProperties: false,
  examples: [{ normal: ACTION_EXAMPLE }],
  properties: {
    ...ofEveryStep,
    normal: {
      title: 'an action (an object with `module` and `command`)',
      description: 'The action of the step.',
      type: 'object',
      examples: [ACTION_EXAMPLE],
      $ref: '#/$defs/action',
    },
    rollback: {
      title: 'an action or null',
      description:
        'How to undo `normal`, `set`, `wait` or `approve`. Missing or null: there is nothing to undo.',
      type: ['object', 'null'],
      examples: [ACTION_EXAMPLE],
      $ref: '#/$defs/action',
    },
    group: nested.group,
    retry: {
      $ref: '#/$defs/groupRetry',
      description:
        'Of a group: how often, and after which waits, the whole group is tried again' +
        ' once it is undone.',
    },
    timeout: {
      $ref: '#/$defs/duration',
      description: 'Of a group: time for the way forward of all its tries. Default: no limit.',
    },
    choice: nested.choice,
    otherwise: nested.otherwise,
    parallel: nested.parallel,
    onBranchFailure: nested.onBranchFailure,
    loop: nested.loop,
    set: single.set,
    wait: single.wait,
    approve: single.approve,
    succeed: single.succeed,
    fail: single.fail,
    foreach: children.foreach,
    flow: children.flow,
    dynamic: nested.dynamic,
  },
};
