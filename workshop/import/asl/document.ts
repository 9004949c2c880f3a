import type { JsonValue } from '#core';
import { at, pathOf } from '../code.js';
import type { StepNames } from '../names.js';
import { below, clip, memberOf, type Placed, type Target, textIn } from '../source.js';
import { coded, codeOf, type Data, members, put } from './data.js';
import type { State, StateGraph } from './state-graph.js';
import { readReference, readTemplate, type Sight } from './values.js';

/** The document and the variables at a place of a machine. */
export interface Known {
  readonly data: Data;
  /** Variables of `Assign`. */
  readonly variables: ReadonlyMap<string, Data>;
}

/** The context of the states of a machine, or of a branch or iteration in it. */
export interface Scope {
  readonly target: Target;
  readonly names: StepNames;
  readonly graph: StateGraph;
  /** Where the scope is a branch: an early end would end the whole task. */
  readonly isBranch: boolean;
  /** Whether states are written with JSONata unless they say otherwise. */
  readonly isJsonata: boolean;
  /** How `$$.Execution.Input` is said; null: it cannot be, in a child task. */
  readonly execution: string | null;
  /** How often each state stands in the flow, by its pointer. */
  readonly copies: Map<string, number>;
  /** The item of the map around, by the name under which a child task sees it. */
  readonly item: Data | undefined;
}

/** The values that a state can read at its start, after `InputPath`. */
export function sightOf(state: State, scope: Scope, known: Known): Sight {
  const language = textIn(state.value, 'QueryLanguage');
  const isJsonata = language === undefined ? scope.isJsonata : language === 'JSONata';
  const before: Sight = { scope, known, isJsonata };
  if (isJsonata) return before;
  return { ...before, known: { ...known, data: atPath(state, 'InputPath', before) } };
}

/** The document behind a state, and its variables: of its result, and of what it saw. */
export function knownAfter(
  state: State,
  sight: Sight,
  { known, result }: { known: Known; result: Data },
): Known {
  const seen = { ...sight, result };
  const { pointer, value } = state;
  const variables = assigned(state, seen, value['Assign']);
  if (sight.isJsonata) {
    const output = memberOf(value, 'Output');
    if (output === undefined) return { data: result, variables };
    return {
      data: readTemplate({ value: output, pointer: below(pointer, 'Output') }, seen),
      variables,
    };
  }
  const selector = memberOf(value, 'ResultSelector');
  const ofResult = { ...sight, known: { ...sight.known, data: result } };
  const selected =
    selector === undefined
      ? result
      : readTemplate({ value: selector, pointer: below(pointer, 'ResultSelector') }, ofResult);
  const data = laidIn(known.data, selected, { state, scope: sight.scope, value });
  const all = { ...sight, known: { data, variables } };
  return { data: atPath(state, 'OutputPath', all), variables };
}

/** Where the result is put: `ResultPath` of a state or of a catcher. */
export function laidIn(
  data: Data,
  result: Data,
  to: { state: State; scope: Scope; value: JsonValue },
): Data {
  const path = memberOf(to.value, 'ResultPath');
  if (path === undefined || path === '$') return result;
  if (path === null) return data;
  const segments = typeof path === 'string' ? pathOf(path) : null;
  const names = segments?.filter((segment) => typeof segment === 'string') ?? [];
  if (segments === null || names.length !== segments.length) {
    const message = `\`ResultPath\` must be a path of names, not ${clip(JSON.stringify(path))}.`;
    return to.scope.target.notes.refuse(to.state.pointer, 'NOT_THE_FORMAT', message);
  }
  return put(data, names, result);
}

/** The variables, with the new values that `Assign` gives. */
export function assigned(
  state: State,
  sight: Sight,
  assign: JsonValue | undefined,
): ReadonlyMap<string, Data> {
  const { variables } = sight.known;
  if (assign === undefined) return variables;
  const source = { value: assign, pointer: below(state.pointer, 'Assign') };
  const given = readTemplate(source, sight);
  return given.kind === 'object' ? new Map([...variables, ...given.members]) : variables;
}

/** The error that a catcher hands on, by the name under which its steps see it. */
export function caughtError(name: string): Data {
  const error = at('$$', [name]);
  return members([
    ['Error', coded(`${error}.code`)],
    ['Cause', coded(`${error}.message`)],
  ]);
}

/** The document at a path of the state, or all of it. */
function atPath(state: State, member: 'InputPath' | 'OutputPath', sight: Sight): Data {
  const path = memberOf(state.value, member);
  if (path === null) return { kind: 'object', base: null, members: new Map() };
  if (typeof path !== 'string' || path === '$') return sight.known.data;
  return readReference(path, sight, below(state.pointer, member));
}

/** The arguments of a state, where it has some. */
export function argumentsOf({ pointer, value }: State, { isJsonata }: Sight): Placed {
  const name = isJsonata ? 'Arguments' : 'Parameters';
  return { value: memberOf(value, name), pointer: below(pointer, name) };
}

/** Whether two places know the same. */
export function isSame(a: Known, b: Known): boolean {
  return differing([a, b]).length === 0 && codeOf(a.data) === codeOf(b.data);
}

/** Names of variables that are not the same in all places. */
export function differing(all: readonly Known[]): readonly string[] {
  const names = new Set(all.flatMap(({ variables }) => [...variables.keys()]));
  return [...names].filter((name) => {
    const codes = all.map(({ variables }) => {
      const value = variables.get(name);
      return value === undefined ? null : codeOf(value);
    });
    return new Set(codes).size > 1;
  });
}
