import { NO_RESULTS, resultsIn, valuesOf } from './outputs.js';
import { heldBy, lookupsOf } from '../scopes/scope-index.js';
import type { Scope } from '../task/scope.js';
import type { Result, SeenRound } from '../task/task-index.js';
import type { Placed } from '../scopes/step-at.js';

/**
 * The outputs of the finished rounds of a step whose number is below `end`, without those of which
 * a later round covers everything. So there are mostly as many as a round has, not as many as all
 * rounds have.
 */
export function resultsOfRounds(task: Placed, holder: number, end: number): readonly Result[] {
  const { done } = heldBy(task, holder);
  if (done.length === 0) return NO_RESULTS;
  const { rounds } = lookupsOf(task);
  // A round that is done stays as it is until it goes back, which it does before those before it.
  const seenAt = (n: number): SeenRound | undefined => {
    const seen = rounds[done[n] ?? -1];
    return seen !== undefined && seen.round === roundAt(n) ? seen : undefined;
  };
  const roundAt = (n: number): Scope | null => task.scopes[done[n] ?? -1] ?? null;
  let count = done.length;
  while (count > 0 && !isBefore(roundAt(count - 1), end)) count -= 1;
  let from = count;
  while (from > 0 && seenAt(from - 1)?.before !== roundAt(from - 2)) from -= 1;
  let results = seenAt(from - 1)?.results ?? NO_RESULTS;
  for (let n = from; n < count; n += 1) {
    const round = roundAt(n) as Scope;
    results = covered(results, resultsIn(task, done[n] as number));
    rounds[done[n] as number] = { round, before: roundAt(n - 1), results };
  }
  return results;
}

function isBefore(round: Scope | null, end: number): boolean {
  return round?.kind === 'round' && round.round < end;
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
