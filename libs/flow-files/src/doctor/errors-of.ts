import { declarationOf, planValues, type StepPlan } from '#core';
import { heldLists } from './list-view.js';

/** Codes of errors; null: any, as a command names its errors itself. */
type Errors = ReadonlySet<string> | null;

/** Errors that any step may have: its expressions fail, or the task cannot hold its output. */
const OF_ANY: readonly string[] = ['EXPRESSION_FAILED', 'OUTPUT_TOO_LARGE'];

// A step is asked about once for each `catch` around it.
const known = new WeakMap<StepPlan, { readonly errors: Errors }>();

/** The errors that the `catch` of a step may meet: its own, and those of the steps in it. */
export function errorsBeforeCatch(step: StepPlan): Errors {
  let found = known.get(step);
  if (found === undefined) {
    found = { errors: workOut(step) };
    known.set(step, found);
  }
  return found.errors;
}

function workOut(step: StepPlan): Errors {
  const own = ownErrors(step);
  if (own === null) return null;
  const errors = new Set([...OF_ANY, ...own]);
  for (const { kind, steps } of heldLists(step)) {
    // Child tasks keep their errors to themselves.
    if (kind === 'catch' || kind === 'foreach') continue;
    for (const found of steps.map(errorsOf)) {
      if (found === null) return null;
      for (const code of found) errors.add(code);
    }
  }
  return errors;
}

/** The errors that a step may end with: those it may meet, and those of steps that catch them. */
function errorsOf(step: StepPlan): Errors {
  let errors = errorsBeforeCatch(step);
  for (const { steps } of step.catch ?? []) {
    for (const found of steps.map(errorsOf)) errors = joined(errors, found);
  }
  return errors;
}

function joined(one: Errors, other: Errors): Errors {
  return one === null || other === null ? null : new Set([...one, ...other]);
}

/** Null: any. */
function ownErrors(step: StepPlan): readonly string[] | null {
  const { errors } = declarationOf(step);
  const named = [...planValues(step)].filter(({ member }) => member.type === 'code');
  // Of the waits, only one for a signal may end without what it waits for.
  if (step.wait !== undefined && !('signal' in step.wait)) return [];
  return errors && [...errors, ...named.map(({ value }) => value as string)];
}
