import { type HeldScopes, NOTHING_HELD } from '../task/held-scopes.js';
import { ScopeIndex } from '../task/scope-index.js';
import { Lookups } from '../task/task-index.js';
import type { Placed } from './step-at.js';

/** The parts of a document, or of a change of it, from which its lookups follow. */
export type Indexed = Pick<Placed, 'runs' | 'scopes' | 'index'>;

// Of documents that carry none, such as those that were read.
const made = new WeakMap<Indexed['runs'], Lookups>();

/** The lookups of a document: those that it carries, or some that are made now. */
export function lookupsOf({ index, runs, scopes }: Indexed): Lookups {
  if (index !== null && index.lookups.areOf(runs, scopes)) return index.lookups;
  let lookups = made.get(runs);
  if (lookups?.areOf(runs, scopes) !== true) {
    lookups = new Lookups(runs, scopes);
    made.set(runs, lookups);
  }
  return lookups;
}

/** The index of a task's scopes. */
export function scopeIndexOf(task: Indexed): ScopeIndex {
  const lookups = lookupsOf(task);
  lookups.held ??= ScopeIndex.of(task.scopes);
  return lookups.held;
}

/** The scopes that the step at a place holds. */
export function heldBy(task: Indexed, holder: number): HeldScopes {
  return task.scopes.length === 0 ? NOTHING_HELD : scopeIndexOf(task).heldBy(holder);
}

/** The scopes of a step that were entered, by their numbers, in the order of their blocks. */
export function scopesOf(task: Indexed, holder: number): readonly number[] {
  const { entered, numbers } = heldBy(task, holder);
  if (entered === numbers.length) return numbers;
  return numbers.filter((scope) => (task.scopes[scope]?.round ?? 0) > 0);
}
