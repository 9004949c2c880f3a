import { below, isObject, listIn, memberOf, textIn } from '../source.js';
import type { Step } from '../step.js';
import { assigned, caughtError, laidIn } from './document.js';
import type { Walked } from './joining.js';
import type { Known, Scope } from './scope.js';
import { END, type State, type Stop } from './state-graph.js';
import { codesOf } from './trying.js';
import { readTemplate, type Sight } from './values.js';
import type { Way } from './walk.js';

/** Types of states that may have `Catch`. */
export const CATCHING: ReadonlySet<string> = new Set(['Task', 'Parallel', 'Map']);

interface Place {
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

/** Walks the paths of the catchers of a state. */
export function catchClauses(state: State, name: string, place: Place): Catching {
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
function wayOf(from: string, state: State, { next, scope }: Place): Way {
  const { graph, isBranch, target } = scope;
  if (graph.leadsTo(from, next) || graph.joinOf(from) === null) return { from, to: next };
  if (!isBranch) return { from, to: END, isEarly: true };
  const message = 'The branch of a caught error joins too late. Let it lead to the next state.';
  return target.notes.refuse(state.pointer, 'LATE_JOIN', message);
}

function knownIn(
  catcher: State['value'],
  as: string,
  { known, scope, state }: Place & { state: State },
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
