import type { JsonObject, JsonValue } from '#core';
import { enclosed, literal, unwritten } from '../code.js';
import { StepNames } from '../names.js';
import {
  below,
  clip,
  inputOf,
  isObject,
  listIn,
  memberOf,
  numberIn,
  type Target,
  textIn,
} from '../source.js';
import { duration, type Step, STEPS_MAX } from '../step.js';
import { coded, codeOf } from './data.js';
import {
  assigned,
  caughtError,
  type Known,
  knownAfter,
  laidIn,
  type Scope,
  sightOf,
} from './document.js';
import { failStep, mapStep, parallelStep, passStep } from './end-steps.js';
import { joinCases, joinCaught, RESULT, type Walked } from './joining.js';
import { END, type State, StateGraph, type Stop } from './state-graph.js';
import { type Made, taskStep, waitStep } from './task-step.js';
import { codesOf } from './trying.js';
import {
  readReference,
  readTemplate,
  readText,
  type Sight,
  writeCode,
  writeData,
} from './values.js';

/** Which states become a list of steps. */
interface Way {
  readonly from: Stop;
  /** The state before which the list ends. */
  readonly to: Stop;
  /** Whether the end of the machine is written as one that ends the task early. */
  readonly isEarly?: boolean | undefined;
}

/** Types of states that may have `Catch`. */
const CATCHING: ReadonlySet<string> = new Set(['Task', 'Parallel', 'Map']);

interface CaughtPlace {
  readonly scope: Scope;
  readonly known: Known;
  /** The state after this one, or the end. */
  readonly next: Stop;
  readonly walk: (scope: Scope, way: Way, known: Known) => Walked;
}

/** The catchers of a state: the paths they lead to, and the clauses once these are complete. */
interface Catching {
  readonly caught: readonly Walked[];
  readonly clauses: () => readonly Step[];
}

const TEST =
  /^(String|Numeric|Boolean|Timestamp)(Equals|LessThanEquals|LessThan|GreaterThanEquals|GreaterThan|Matches)(Path)?$/;

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['Equals', '='],
  ['LessThan', '<'],
  ['LessThanEquals', '<='],
  ['GreaterThan', '>'],
  ['GreaterThanEquals', '>='],
]);

const typed = (type: string) => (code: string) => `$type(${code}) = "${type}"`;

const TYPE_TESTS: ReadonlyMap<string, (code: string) => string> = new Map([
  ['IsPresent', (code: string) => `$exists(${code})`],
  ['IsNull', typed('null')],
  ['IsString', typed('string')],
  ['IsNumeric', typed('number')],
  ['IsBoolean', typed('boolean')],
]);

interface Place {
  readonly scope: Scope;
  readonly known: Known;
}

interface Passed extends Walked {
  readonly at: Stop;
}

/** The flow file of a state machine of Step Functions. */
export function importStateMachine(machine: JsonValue, target: Target): JsonObject {
  const { name, notes } = target;
  if (!isObject(machine)) {
    return notes.refuse('', 'NOT_THE_FORMAT', 'A state machine must be an object with `States`.');
  }
  const scope: Scope = {
    target,
    names: new StepNames(notes),
    graph: new StateGraph(machine, '', { notes, isBranch: false }),
    isBranch: false,
    isJsonata: textIn(machine, 'QueryLanguage') === 'JSONata',
    execution: '$input',
    copies: new Map(),
    item: undefined,
  };
  const { known, steps } = walkAll(scope, { data: coded('$input'), variables: new Map() });
  const comment = textIn(machine, 'Comment');
  const seconds = numberIn(machine, 'TimeoutSeconds');
  const flow: JsonObject = {
    ...(comment !== undefined && { description: comment }),
    input: {},
    ...(seconds !== undefined && seconds > 0 && { timeout: duration(seconds) }),
    ...(known !== null && { output: writeData(known.data, { scope }, '') }),
    steps,
  };
  return { [name]: { ...flow, input: inputOf(flow, []) } };
}

/** The steps of a way through a machine, and what is known behind them. */
function walk(scope: Scope, way: Way, start: Known): Walked {
  const steps: Step[] = [];
  let known = start;
  let at = way.from;
  while (at !== way.to && at !== END) {
    const state = scope.graph.state(at);
    const name = begin(state, scope);
    if (scope.graph.isEarlyEnd(state)) {
      steps.push(succeedStep(name, knownAtEnd(state, scope, known), scope));
      return { steps, known: null };
    }
    if (state.type === 'Fail') {
      steps.push(failStep(state, name, sightOf(state, scope, known)));
      return { steps, known: null };
    }
    const next: Passed =
      state.type === 'Choice'
        ? choose(state, name, { scope, known })
        : pass(state, name, { scope, known });
    steps.push(...next.steps);
    if (next.known === null) return { steps, known: null };
    known = next.known;
    at = next.at;
  }
  if (way.isEarly !== true) return { steps, known };
  steps.push(succeedStep(scope.names.make('done'), known, scope));
  return { steps, known: null };
}

/** All states of a branch or of a map. */
function walkAll(scope: Scope, known: Known): Walked {
  const walked = walk(scope, { from: scope.graph.start, to: END }, known);
  if (walked.steps.length === 0) walked.steps.push(nothing(scope));
  return walked;
}

/** The name of the next step. */
function begin(state: State, { copies, names, target }: Scope): string {
  const count = copies.get(state.pointer) ?? 0;
  copies.set(state.pointer, count + 1);
  const total = [...copies.values()].reduce((sum, each) => sum + each, 0);
  if (total > STEPS_MAX) {
    const message = `The flow would have more than ${STEPS_MAX} steps.`;
    target.notes.refuse(state.pointer, 'TOO_LARGE', message);
  }
  if (count === 0) return names.take(state.name, state.pointer);
  const message = `Several branches reach \`${clip(state.name)}\`: it is copied into each branch.`;
  target.notes.add(state.pointer, 'STATE_COPIED', message);
  return names.make(state.name);
}

function choose(state: State, name: string, { known, scope }: Place): Passed {
  const sight = sightOf(state, scope, known);
  const here: Known = { ...known, data: sight.known.data };
  const join = scope.graph.joinOf(state.name);
  const walkTo = (target: string | undefined): Walked => {
    const from = target ?? END;
    return walk(scope, { from, to: join ?? END }, here);
  };
  const whens: string[] = [];
  const cases = listIn(state.value, 'Choices').map((rule, n) => {
    const pointer = below(below(state.pointer, 'Choices'), n);
    whens.push(whenOf(rule, pointer, sight));
    return walkTo(textIn(rule, 'Next'));
  });
  const fallback = textIn(state.value, 'Default');
  const message = `No choice of ${name} matched.`;
  const unmatched: Step = {
    name: scope.names.make(`${name}-unmatched`),
    fail: { code: 'NO_CHOICE_MATCHED', message },
  };
  const otherwise = fallback === undefined ? { steps: [unmatched], known: null } : walkTo(fallback);
  if (cases.length === 0 || cases.length > 100) {
    scope.target.notes.refuse(
      state.pointer,
      'NOT_THE_FORMAT',
      '`Choices` must have 1 to 100 rules.',
    );
  }
  const after = joinCases(name, here, { cases: [...cases, otherwise], scope });
  const choice = cases.map(({ steps }, n) => {
    return { when: whens[n] ?? '', steps: steps.length === 0 ? [nothing(scope)] : steps };
  });
  const rest = otherwise.steps.length === 0 ? {} : { otherwise: otherwise.steps };
  return { steps: [{ name, choice, ...rest }], known: after, at: join ?? END };
}

function whenOf(rule: unknown, pointer: string, sight: Sight): string {
  const value = rule as State['value'];
  const code = isObject(value) ? readRule(value, sight, pointer) : null;
  if (code !== null) return writeCode(code, sight, pointer);
  const message = 'This rule could not be translated. Write it as JSONata.';
  sight.scope.target.notes.add(pointer, 'EXPRESSION_NOT_CARRIED', message);
  return writeCode(unwritten(JSON.stringify(rule)), sight, pointer);
}

function pass(state: State, name: string, { known, scope }: Place): Passed {
  const sight = sightOf(state, scope, known);
  const made = make(state, name, sight);
  const after = knownAfter(state, sight, { known, result: made.result });
  const before = made.before === undefined ? [] : [made.before];
  const next = textIn(state.value, 'Next') ?? END;
  if (!CATCHING.has(state.type) || listIn(state.value, 'Catch').length === 0) {
    return { steps: [...before, made.step], known: after, at: next };
  }
  const { caught, clauses } = catchClauses(state, name, { scope, known, next, walk });
  const joined = joinCaught(name, after, { caught, scope });
  const step = { ...made.step, catch: clauses() } as Step;
  return { steps: [...before, step], known: joined, at: next };
}

function make(state: State, name: string, sight: Sight): Made {
  switch (state.type) {
    case 'Task':
      return taskStep(state, name, sight);
    case 'Parallel':
      return parallelStep(state, name, { ...sight, walk: walkAll });
    case 'Map':
      return mapStep(state, name, { ...sight, walk: walkAll });
    case 'Wait':
      return { step: waitStep(state, name, sight), result: sight.known.data };
    default:
      return passStep(state, name, sight);
  }
}

function knownAtEnd(state: State, scope: Scope, known: Known): Known {
  const sight = sightOf(state, scope, known);
  return knownAfter(state, sight, { known, result: sight.known.data });
}

function succeedStep(name: string, { data }: Known, scope: Scope): Step {
  const output = writeData(data, { scope }, '');
  return { name, succeed: { output: scope.execution === null ? { [RESULT]: output } : output } };
}

/** A list has a step at least. */
function nothing({ names }: Scope): Step {
  const name = names.make('nothing');
  return { name, set: { [name]: true } };
}

/** Walks the paths of the catchers of a state. */
function catchClauses(state: State, name: string, place: CaughtPlace): Catching {
  const as = `error_${name.replace(/\W/g, '_')}`.slice(0, 100);
  const catchers = listIn(state.value, 'Catch').slice(0, 100).filter(isObject);
  const caught = catchers.map((catcher, n) => {
    const pointer = below(below(state.pointer, 'Catch'), n);
    const target = textIn(catcher, 'Next');
    if (target === undefined) {
      return place.scope.target.notes.refuse(
        pointer,
        'NOT_THE_FORMAT',
        'A catcher must have a `Next`.',
      );
    }
    const known = knownIn(catcher, as, { ...place, state });
    const walked = place.walk(place.scope, wayOf(target, state, place), known);
    if (walked.steps.length === 0) {
      const nothing = place.scope.names.make(`${name}-ignored`);
      walked.steps.push({ name: nothing, set: { [nothing]: true } });
    }
    return walked;
  });
  const codes = catchers.map((catcher, n) => {
    return codesOf(catcher, below(below(state.pointer, 'Catch'), n), place.scope) ?? ['*'];
  });
  const clauses = (): readonly Step[] => {
    return caught.map(({ steps }, n) => ({ errors: codes[n] ?? ['*'], as, steps }));
  };
  return { caught, clauses };
}

/** Behind a catch the list goes on with the next step: other ways are gone to their end. */
function wayOf(from: string, state: State, { next, scope }: CaughtPlace): Way {
  const { graph, isBranch, target } = scope;
  if (graph.leadsTo(from, next) || graph.joinOf(from) === null) return { from, to: next };
  if (!isBranch) return { from, to: END, isEarly: true };
  const message = 'The branch of a caught error joins too late. Let it lead to the next state.';
  return target.notes.refuse(state.pointer, 'LATE_JOIN', message);
}

function knownIn(
  catcher: State['value'],
  as: string,
  { known, scope, state }: CaughtPlace & { state: State },
): Known {
  const error = caughtError(as);
  const language = textIn(state.value, 'QueryLanguage');
  const isJsonata = language === undefined ? scope.isJsonata : language === 'JSONata';
  const sight: Sight = { scope, known, error, isJsonata };
  const pointer = below(state.pointer, 'Catch');
  const variables = assigned(state, sight, catcher['Assign']);
  if (!isJsonata) {
    return { data: laidIn(known.data, error, { state, scope, value: catcher }), variables };
  }
  const output = memberOf(catcher, 'Output');
  return {
    data: output === undefined ? error : readTemplate({ value: output, pointer }, sight),
    variables,
  };
}

/** JSONata for the rule of a choice; null: it cannot be said. */
function readRule(rule: JsonObject, sight: Sight, pointer: string): string | null {
  const condition = textIn(rule, 'Condition');
  if (sight.isJsonata || condition !== undefined) {
    return condition === undefined ? null : codeOf(readText(condition, sight, pointer));
  }
  for (const [name, word] of [
    ['And', 'and'],
    ['Or', 'or'],
  ] as const) {
    if (!Object.hasOwn(rule, name)) continue;
    const rules = listIn(rule, name).map((each, n) => {
      return isObject(each) ? readRule(each, sight, below(below(pointer, name), n)) : null;
    });
    if (rules.length === 0 || rules.includes(null)) return null;
    return `(${rules.join(` ${word} `)})`;
  }
  const not = memberOf(rule, 'Not');
  if (isObject(not)) {
    const inner = readRule(not, sight, below(pointer, 'Not'));
    return inner === null ? null : `$not(${inner})`;
  }
  return readTest(rule, sight, pointer);
}

function readTest(rule: JsonObject, sight: Sight, pointer: string): string | null {
  const variable = textIn(rule, 'Variable');
  const test = Object.entries(rule).find(([name]) => TEST.test(name) || TYPE_TESTS.has(name));
  if (variable === undefined || test === undefined) return null;
  const left = enclosed(codeOf(readReference(variable, sight, below(pointer, 'Variable'))));
  const [name, value] = test;
  const ask = TYPE_TESTS.get(name);
  if (ask !== undefined) return value === false ? `$not(${ask(left)})` : ask(left);
  const [, type = '', operator = '', path] = TEST.exec(name) ?? [];
  if (operator === 'Matches') return matches(left, value);
  const at = below(pointer, name);
  const right =
    path === undefined
      ? literal(value ?? null)
      : enclosed(codeOf(readReference(typeof value === 'string' ? value : '', sight, at)));
  const sign = SIGNS.get(operator);
  if (sign === undefined) return null;
  if (type !== 'Timestamp') return `${left} ${sign} ${right}`;
  return `$toMillis(${left}) ${sign} $toMillis(${right})`;
}

/** `*` stands for any text, `\*` for a star. */
function matches(left: string, value: JsonValue | undefined): string | null {
  if (typeof value !== 'string') return null;
  const parts = value.split(/(?<!\\)\*/).map((part) => {
    return part.replace(/\\([*\\])/g, '$1').replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  });
  return `$contains(${left}, /^${parts.join('.*')}$/)`;
}
