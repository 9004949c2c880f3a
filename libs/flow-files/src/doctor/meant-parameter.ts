import { declarationOf, type StepPlan } from '#core';
import { nearMeant } from '../near-name-hint.js';
import { heldLists } from './list-view.js';
import { outwards, type ParameterSight, standingOf, type Viewpoint } from './sight.js';

/** A plain name; any other stands in backticks. */
const PLAIN = /^\$?[A-Za-z_]\w*$/;

/**
 * The expression that somebody meant by the name of a parameter that is not there: an output under
 * the name of its step, such as `pick.host`, or a parameter of nearly this name. Undefined: none.
 */
export function meantBy(name: string, from: Viewpoint, sight: ParameterSight): string | undefined {
  const outputs = [...stepsBefore(from)].flatMap((step) => outputsIn(step, name));
  const known = outputs.find(({ isKnown }) => isKnown);
  if (known !== undefined) return pathOf(known.path);
  const near = nearMeant(name, sight.namesAt(from));
  if (near !== undefined) return pathOf([near]);
  const [first] = outputs;
  return first && pathOf(first.path);
}

/** A path in an expression, such as `$steps.check.host`. */
export function pathOf(names: readonly string[]): string {
  return names.map((name) => (PLAIN.test(name) ? name : `\`${name}\``)).join('.');
}

/** The steps that come before a place, the nearest one first. */
function* stepsBefore(from: Viewpoint): Generator<StepPlan> {
  for (const view of outwards(from)) {
    for (const step of view.list.steps.toReversed()) {
      if (standingOf(step.name, view) === 'before') yield step;
    }
  }
}

/** A place for a value of some name within the output of a step. */
interface OutputPlace {
  readonly path: readonly string[];
  /** False: a command or a signal that may give anything may also give this. */
  readonly isKnown: boolean;
}

function outputsIn(step: StepPlan, name: string): readonly OutputPlace[] {
  const under = (path: readonly string[], isKnown: boolean): OutputPlace => {
    return { path: [step.name, ...path], isKnown };
  };
  if (declarationOf(step).gives?.includes(name) === true) return [under([name], true)];
  if (step.wait !== undefined && 'signal' in step.wait) return [under([name], false)];
  const branches = (step.parallel ?? []).map((branch) => ({ at: [branch.name], ...branch }));
  const others = [...heldLists(step)].filter(({ kind }) => IN_OUTPUT.has(kind));
  const lists = [...branches, ...others.map(({ steps }) => ({ at: [], steps }))];
  return lists.flatMap(({ at, steps }) => {
    return steps.flatMap((inner) => {
      return writtenBy(inner, name).map(({ isKnown, path }) => under([...at, ...path], isKnown));
    });
  });
}

/** Lists whose outputs stand right under the name of the step that holds them. */
const IN_OUTPUT: ReadonlySet<string> = new Set(['group', 'case', 'loop']);

function writtenBy(step: StepPlan, name: string): readonly OutputPlace[] {
  if (step.normal !== undefined) return [{ path: [name], isKnown: false }];
  if (step.set !== undefined) {
    return Object.hasOwn(step.set, name) ? [{ path: [name], isKnown: true }] : [];
  }
  return step.name === name ? [{ path: [name], isKnown: true }] : outputsIn(step, name);
}
