import type { KindName } from '#core';
import { object, ref } from './schema-parts.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const anything = { description: 'JSON in which a text `{% ... %}` is an expression.' };
const secondsOrNull = { type: ['number', 'null'], description: 'Seconds; null: no limit.' };
const secondsOrExpression = {
  type: ['number', 'string'],
  description: 'Seconds, or an expression.',
};
const onTimeout = { enum: ['fail', 'continue'] };

type Members = Readonly<Record<string, object>>;

/** Schemas of the objects that members of kinds may be, by name. */
export const KIND_SCHEMAS: Members = {
  RetryForEach: object({ forEach: anything, as: text }),
  WaitFor: object({ for: secondsOrExpression }),
  WaitUntil: object({ until: secondsOrExpression }),
  WaitSignal: object({ signal: text, timeout: secondsOrNull, onTimeout }),
  SucceedOutput: object({ output: anything }),
};

/** Members that a step of any kind may have. */
export const COMMON_MEMBERS = ['if', 'optional', 'pivot', 'catch', 'locks'];

/** The locks of a flow or a step. */
export const LOCKS = {
  type: 'array',
  items: object({ name: text, slots: { type: 'integer', minimum: 1 } }),
};

/** How lists of steps in a step are shown; null: not here, because scopes show them. */
type InnerList = object | null;

function withSteps(properties: Members, name: string, list: InnerList): Members {
  return list === null ? properties : { ...properties, [name]: list };
}

/** The schemas of those members. */
export function commonMembers(list: InnerList): Members {
  const clause = withSteps({ errors: texts, as: text }, 'steps', list);
  return {
    if: anything,
    optional: { type: 'boolean', enum: [true] },
    pivot: { type: 'boolean', enum: [true] },
    catch: { type: 'array', items: object(clause, ['as']) },
    locks: LOCKS,
  };
}

/** The members that make a step, by its kind; a command aside. */
export function kindMembers(
  list: InnerList,
): Readonly<Record<Exclude<KindName, 'normal'>, Members>> {
  const branches = {
    type: 'object',
    additionalProperties: list ?? { type: 'array', items: {}, maxItems: 0 },
  };
  const round = {
    while: anything,
    until: anything,
    max: { type: 'integer' },
    delay: secondsOrExpression,
  };
  const group = {
    retry: {
      description: 'When it is tried again, after it was undone.',
      oneOf: [{ type: 'integer' }, ref('RetryPolicy'), ref('RetryForEach')],
    },
    timeout: secondsOrNull,
  };
  const choices = object(withSteps({ name: text, when: anything }, 'steps', list));
  return {
    group: withSteps(group, 'group', list),
    choice: withSteps({ choice: { type: 'array', items: choices } }, 'otherwise', list),
    parallel: { parallel: branches, onBranchFailure: { enum: ['cancel', 'wait'] } },
    loop: { loop: object(withSteps(round, 'steps', list), ['while', 'until', 'delay']) },
    set: { set: { type: 'object' } },
    wait: {
      wait: {
        oneOf: [ref('WaitFor'), ref('WaitUntil'), ref('WaitSignal')],
      },
    },
    approve: {
      approve: object(
        {
          title: text,
          roles: texts,
          notBy: { enum: ['starter'] },
          timeout: secondsOrNull,
          onTimeout,
        },
        ['notBy'],
      ),
    },
    succeed: { succeed: { oneOf: [{ type: 'boolean', enum: [true] }, ref('SucceedOutput')] } },
    fail: { fail: object({ code: text, message: text }) },
    dynamic: { dynamic: object({ steps: anything }) },
    ...childMembers(list),
  };
}

/** The members of steps whose work child tasks do. */
function childMembers(list: InnerList): Readonly<Record<'foreach' | 'flow', Members>> {
  const each = {
    in: anything,
    as: text,
    concurrency: { type: 'integer' },
    successPercent: { type: 'number' },
    flow: text,
    parameters: anything,
  };
  const optional = ['flow', 'parameters', 'steps'];
  const one = { name: text, version: { type: 'integer' }, parameters: anything };
  return {
    foreach: { foreach: object(withSteps(each, 'steps', list), optional) },
    flow: { flow: object(one, ['version', 'parameters']) },
  };
}

/** Kinds whose steps may have a command that undoes them. */
export const UNDOABLE_KINDS: ReadonlySet<string> = new Set(['set', 'wait', 'approve']);
/** Kinds that hold steps. */
export const HOLDER_KINDS: ReadonlySet<string> = new Set([
  'group',
  'choice',
  'parallel',
  'loop',
  'dynamic',
]);
/** Kinds whose work child tasks do. */
export const PARENT_KINDS: ReadonlySet<string> = new Set(['foreach', 'flow']);
/** Members of a kind that are not always there. */
export const OPTIONAL_OF_KIND = ['otherwise'];
