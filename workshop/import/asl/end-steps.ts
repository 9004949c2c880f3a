import type { JsonObject, JsonValue } from '#core';
import { at } from '../code.js';
import { codeOf as errorCode, nameOf } from '../names.js';
import { below, isObject, listIn, memberOf, numberIn, objectOf, textIn } from '../source.js';
import { retryOf, type Step } from '../step.js';
import { coded, codeOf, type Data, select } from './data.js';
import { argumentsOf, type Known, type Scope } from './document.js';
import { RESULT, resultStep, type Walked } from './joining.js';
import { type State, StateGraph } from './state-graph.js';
import type { Made } from './task-step.js';
import { codeOfError, tryingOf } from './trying.js';
import {
  readReference,
  readTemplate,
  readText,
  type Sight,
  writeCode,
  writeData,
} from './values.js';

/** Walks the states of a branch or of a map. */
type Walk = (scope: Scope, known: Known) => Walked;

const NO_NAMES = (scope: Scope) => ({ names: [], scope });

/** A step that holds lists: in a group of its name, if it is tried again. */
interface Holder {
  readonly path: readonly string[];
  readonly isRetried: boolean;
}

/** A failure with a code. */
export function failStep({ pointer, value }: State, name: string, sight: Sight): Step {
  const { notes } = sight.scope.target;
  const error = textIn(value, 'Error');
  if (error === undefined || error.startsWith('{%')) {
    const message = 'The code of a failure must be a constant. It is `FAILED` in the flow.';
    notes.add(pointer, 'ERROR_CODE', message);
  }
  const code = error === undefined || error.startsWith('{%') ? 'FAILED' : codeOfError(error);
  if (error !== undefined && code !== error && code !== 'FAILED') {
    notes.add(
      below(pointer, 'Error'),
      'ERROR_CODE',
      `The failure has the code \`${code}\` in the flow.`,
    );
  }
  const path = textIn(value, 'CausePath');
  const cause = textIn(value, 'Cause') ?? error ?? errorCode(name);
  const data =
    path === undefined
      ? readMessage(cause, sight, below(pointer, 'Cause'))
      : readReference(path, sight, below(pointer, 'CausePath'));
  return { name, fail: { code, message: writeData(data, sight, pointer) } };
}

function readMessage(text: string, sight: Sight, pointer: string): Data {
  if (sight.isJsonata) return readText(text, sight, pointer);
  return readTemplate({ value: text, pointer }, sight);
}

/** The step of a pass state: a `set`, whose values other steps read by its name. */
export function passStep(state: State, name: string, sight: Sight): Made {
  const { pointer, value } = state;
  const result = memberOf(value, 'Result');
  const given = argumentsOf(state, { ...sight, isJsonata: false });
  const output = coded(`$steps`);
  const nothing: Step = { name, set: { [name]: true } };
  if (sight.isJsonata) return { step: nothing, result: sight.known.data };
  const data: Data | null =
    result === undefined
      ? given.value === undefined
        ? null
        : readTemplate(given, sight)
      : constant(result);
  if (data === null) return { step: nothing, result: sight.known.data };
  const whole = select(output, [name]);
  const isObject = data.kind === 'object' && data.base === null && data.members.size > 0;
  if (!isObject) {
    const set = { [name]: writeData(data, sight, pointer) };
    return { step: { name, set }, result: select(whole, [name]) };
  }
  const set = objectOf(
    [...data.members].map(([key, each]): [string, JsonValue] => [
      key,
      writeData(each, sight, pointer),
    ]),
  );
  return { step: { name, set }, result: whole };
}

/** A constant: an object as its members, so that each may be named. */
function constant(value: JsonValue): Data {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'value', value };
  }
  const members = Object.entries(value).map(([name, each]): [string, Data] => {
    return [name, { kind: 'value', value: each ?? null }];
  });
  return { kind: 'object', base: null, members: new Map(members) };
}

/** Branches beside each other; the result is the list of their results. */
export function parallelStep(state: State, name: string, sight: Sight & { walk: Walk }): Made {
  const { known, scope, walk } = sight;
  const given = argumentsOf(state, sight);
  const data = given.value === undefined ? known.data : readTemplate(given, sight);
  const branches: Record<string, Step[]> = {};
  const results: Data[] = [];
  const holder = holderOf(state, name, scope);
  listIn(state.value, 'Branches').forEach((branch, n) => {
    const pointer = below(below(state.pointer, 'Branches'), n);
    const inner = innerScope({ ...scope, isBranch: true }, branch, pointer);
    const walked = walk(inner, { ...known, data });
    const label = nameOf(inner.graph.start, `branch-${n + 1}`);
    const own = Object.hasOwn(branches, label) ? `branch-${n + 1}` : label;
    if (walked.known !== null) walked.steps.push(resultStep(own, walked.known, NO_NAMES(scope)));
    branches[own] = walked.steps;
    results.push(coded(at('$steps', [...holder.path, own, RESULT])));
  });
  if (results.length === 0) {
    scope.target.notes.refuse(
      state.pointer,
      'NOT_THE_FORMAT',
      '`Branches` must be a list of state machines.',
    );
  }
  const step = held(state, holder, { scope, member: { parallel: branches } });
  return { step, result: { kind: 'list', items: results } };
}

/** A child task for each item of a list. */
export function mapStep(state: State, name: string, sight: Sight & { walk: Walk }): Made {
  const { scope, walk } = sight;
  const { notes } = scope.target;
  const body = memberOf(state.value, 'ItemProcessor') === undefined ? 'Iterator' : 'ItemProcessor';
  const pointer = below(state.pointer, body);
  const as = `item_${name.replace(/\W/g, '_')}`;
  const item = coded(at('$$', [as]));
  const inner = {
    ...innerScope({ ...scope, isBranch: false }, memberOf(state.value, body), pointer),
    execution: null,
    item,
  };
  const selected = selectItem(state, name, { ...sight, scope: { ...scope, item } });
  const walked = walk(inner, { data: selected.data ?? item, variables: new Map() });
  if (walked.known !== null) walked.steps.push(resultStep(name, walked.known, NO_NAMES(scope)));
  for (const member of ['ItemReader', 'ItemBatcher', 'ResultWriter', 'ToleratedFailureCount']) {
    if (memberOf(state.value, member) === undefined) continue;
    notes.add(below(state.pointer, member), 'NOT_CARRIED', `\`${member}\` has no counterpart.`);
  }
  const member = {
    foreach: { in: itemsOf(state, sight), as, ...limitsOf(state, sight), steps: walked.steps },
  };
  const holder = holderOf(state, name, scope);
  const results = at('$steps', [...holder.path, 'results', 'output', RESULT]);
  const step = held(state, holder, { scope, member });
  return { step, before: selected.before, result: coded(`[${results}]`) };
}

/** Child tasks see no steps from outside: what an item is made of is put into the parameters. */
function selectItem(
  state: State,
  name: string,
  sight: Sight,
): { data?: Data; before?: Step | undefined } {
  const member = ['ItemSelector', 'Parameters'].find((each) => memberOf(state.value, each));
  if (member === undefined) return {};
  const pointer = below(state.pointer, member);
  const key = `input_${name.replace(/\W/g, '_')}`;
  const set = { [key]: writeData(sight.known.data, sight, pointer) };
  const known = { ...sight.known, data: coded(at('$$', [key])) };
  const data = readTemplate({ value: memberOf(state.value, member), pointer }, { ...sight, known });
  const isNeeded = codeOf(data).includes(at('$$', [key]));
  return {
    data,
    before: isNeeded ? { name: sight.scope.names.make(`${name}-input`), set } : undefined,
  };
}

function itemsOf(state: State, sight: Sight): JsonValue {
  const member = sight.isJsonata ? 'Items' : 'ItemsPath';
  const pointer = below(state.pointer, member);
  const value = memberOf(state.value, member);
  if (memberOf(state.value, 'ItemReader') !== undefined) {
    return writeCode('$error("not translated: items of ItemReader")', sight, pointer);
  }
  if (typeof value === 'string' && !sight.isJsonata) {
    return writeCode(codeOf(readReference(value, sight, pointer)), sight, pointer);
  }
  const data = value === undefined ? sight.known.data : readTemplate({ value, pointer }, sight);
  return data.kind === 'code' || !Array.isArray(value)
    ? writeCode(codeOf(data), sight, pointer)
    : writeData(data, sight, pointer);
}

function limitsOf({ pointer, value }: State, { scope }: Sight): JsonObject {
  const concurrency = numberIn(value, 'MaxConcurrency');
  const percent = numberIn(value, 'ToleratedFailurePercentage');
  if (concurrency === undefined || concurrency === 0) {
    const message = 'The source sets no limit. In Backstep at most 10 items run at a time.';
    scope.target.notes.add(pointer, 'NOT_CARRIED', message);
  }
  return {
    ...(concurrency && { concurrency: Math.min(Math.ceil(concurrency), 1_000) }),
    ...(percent !== undefined && { successPercent: 100 - percent }),
  };
}

function innerScope(scope: Scope, machine: JsonValue | undefined, pointer: string): Scope {
  const { notes } = scope.target;
  if (!isObject(machine))
    return notes.refuse(pointer, 'NOT_THE_FORMAT', 'A state machine must be an object.');
  const language = textIn(machine, 'QueryLanguage');
  return {
    ...scope,
    graph: new StateGraph(machine, pointer, { notes, isBranch: scope.isBranch }),
    isJsonata: language === undefined ? scope.isJsonata : language === 'JSONata',
  };
}

function holderOf({ value }: State, name: string, { names }: Scope): Holder {
  const isRetried = memberOf(value, 'Retry') !== undefined;
  return { isRetried, path: isRetried ? [name, names.make(`${name}-once`)] : [name] };
}

function held(
  state: State,
  { isRetried, path: [name = '', once = ''] }: Holder,
  { member, scope }: { member: Step; scope: Scope },
): Step {
  if (!isRetried) return { name, ...member };
  const trying = tryingOf(state, scope);
  if (trying?.only !== undefined || (trying?.never?.length ?? 0) > 0) {
    const message = 'A group is retried after any error.';
    scope.target.notes.add(below(state.pointer, 'Retry'), 'RETRY_CHANGED', message);
  }
  const retry = retryOf(trying && { ...trying, only: undefined, never: undefined });
  return { name, group: [{ name: once, ...member }], ...retry };
}
