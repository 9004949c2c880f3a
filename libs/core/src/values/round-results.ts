import { NO_RESULTS, type Result, resultsIn, valuesOf } from './outputs.js';
import { heldBy } from '../scopes/scope-index.js';
import type { Scope } from '../task/scope.js';
import type { Task } from '../task/task.js';

/** The outputs that are to be seen after a round. */
interface Seen {
  /** The round before; null: it was the first. */
  readonly before: Scope | null;
  readonly results: readonly Result[];
}

// A round that is done stays as it is until it goes back, which it does before those before it do.
const known = new WeakMap<Scope, Seen>();

/**
 * The outputs of the finished rounds of a step whose number is below `end`, without those of which
 * a later round covers everything. So there are mostly as many as a round has, not as many as all
 * rounds have.
 */
export function resultsOfRounds(
  task: Pick<Task, 'plan' | 'runs' | 'scopes'>,
  holder: number,
  end: number,
): readonly Result[] {
  const { done } = heldBy(task, holder);
  const roundAt = (n: number): Scope | null => task.scopes[done[n] ?? -1] ?? null;
  let count = done.length;
  while (count > 0 && !isBefore(roundAt(count - 1), end)) count -= 1;
  let from = count;
  while (from > 0 && !isKnown(roundAt(from - 1), roundAt(from - 2))) from -= 1;
  let results = seenAfter(roundAt(from - 1));
  for (let n = from; n < count; n += 1) {
    const round = roundAt(n) as Scope;
    results = covered(results, resultsIn(task, done[n] as number));
    known.set(round, { before: roundAt(n - 1), results });
  }
  return results;
}

function isBefore(round: Scope | null, end: number): boolean {
  return round?.kind === 'round' && round.round < end;
}

function isKnown(round: Scope | null, before: Scope | null): boolean {
  return round !== null && known.get(round)?.before === before;
}

function seenAfter(round: Scope | null): readonly Result[] {
  return (round === null ? undefined : known.get(round)?.results) ?? NO_RESULTS;
}

/** Earlier outputs of which something is still to be seen, and then those of a later round. */
function covered(earlier: readonly Result[], later: readonly Result[]): readonly Result[] {
  const left = earlier.filter((result) => !later.some((other) => covers(other, result)));
  return [...left, ...later];
}

/** Whether an output gives every parameter that an earlier one of the same step gave. */
function covers(later: Result, earlier: Result): boolean {
  if (later.step !== earlier.step) return false;
  const given = valuesOf(later);
  return Object.keys(valuesOf(earlier)).every((key) => Object.hasOwn(given, key));
}
