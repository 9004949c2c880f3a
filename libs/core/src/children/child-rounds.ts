import type { ChildRef } from '../task/parent.js';
import type { Scope } from '../task/scope.js';
import { heldBy, type Indexed } from '../scopes/scope-index.js';
import type { ChildTally, RoundCounts } from '../task/child-tally.js';

/**
 * The child tasks that one round of a step has begun. A round after the first begins some items
 * again whose child tasks failed before, and leaves those that succeeded as they are.
 */
export interface ChildRound {
  /** `run` of their `parent`. */
  readonly run: string;
  /** Numbers of the items that they are for, in ascending order; null: all items. */
  readonly numbers: readonly number[] | null;
}

/** The rounds of a step that are done and whose child tasks still count, in their order. */
export function roundsDone(task: Indexed, holder: number): readonly Scope[] {
  const { done } = heldBy(task, holder);
  const scopes = done.map((scope) => task.scopes[scope] as Scope);
  return scopes.filter(({ kind }) => kind === 'children');
}

/** Numbers of the items of a round after the first; null: it has all items, or they are unknown. */
export function numbersIn({ values }: Pick<Scope, 'values'>): readonly number[] | null {
  return (values?.['numbers'] ?? null) as readonly number[] | null;
}

/** Whether it is not known so far which items a round is for. */
export function isUnchosen({ values }: Pick<Scope, 'values'>): boolean {
  return values === null;
}

/**
 * The child task that has succeeded and is undone before the only one of a round begins in its
 * place; null: there is none, or it is undone.
 */
export function replacedIn({ values }: Pick<Scope, 'values'>): ChildRef | null {
  return (values?.['replaces'] ?? null) as ChildRef | null;
}

/** The tally of a further round, which begins this many items again. */
export function furtherTally(tally: ChildTally, count: number): ChildTally {
  const { earlier = [], failed, flow, succeeded, total } = tally;
  const counts = { started: 0, succeeded: 0, failed: 0, active: 0, held: 0 };
  return { total: count, ...counts, flow, earlier: [...earlier, { total, succeeded, failed }] };
}

/** The tally of rounds, in one of which a child task that succeeded is to be undone by itself. */
export function tallyWithout(tally: ChildTally, round: number): ChildTally {
  const { earlier = [] } = tally;
  const former = earlier[round];
  if (former === undefined) return { ...tally, ...lessOne(tally) };
  return { ...tally, earlier: earlier.with(round, { ...former, ...lessOne(former) }) };
}

/** An undone child task counts as one that failed. */
function lessOne({ failed, succeeded }: RoundCounts): Pick<RoundCounts, 'succeeded' | 'failed'> {
  return { succeeded: succeeded - 1, failed: failed + 1 };
}

/** The tally of the round before, all of whose child tasks have ended; null: there is none. */
export function tallyBefore({ earlier = [], flow }: ChildTally): ChildTally | null {
  const last = earlier.at(-1);
  if (last === undefined) return null;
  const before = earlier.slice(0, -1);
  const ended = { ...last, started: last.total, active: 0, held: 0, flow };
  return before.length === 0 ? ended : { ...ended, earlier: before };
}

/** How the child tasks of a step stand over all rounds: each item by the last that it has. */
export function wholeTally(tally: ChildTally): Omit<ChildTally, 'flow' | 'earlier'> {
  const { active, earlier = [], held, started } = tally;
  const first: RoundCounts = earlier[0] ?? tally;
  let { failed, succeeded } = first;
  for (const round of [...earlier.slice(1), ...(earlier.length === 0 ? [] : [tally])]) {
    succeeded += round.succeeded;
    failed += round.failed - round.total;
  }
  const waiting = tally.total - started;
  return { total: first.total, started: first.total - waiting, succeeded, failed, active, held };
}

/** A child task of a round, by its place among these. */
interface InRound {
  readonly round: ChildRound;
  readonly index: number;
}

/** The number of the item that a child task of a round is for. */
export function numberOf({ index, round }: InRound): number {
  return round.numbers?.[index] ?? index;
}

/**
 * Numbers of the items whose last child task failed, in ascending order. `failed`: of each round
 * the indexes of those that did.
 */
export function failedItems(
  rounds: readonly { readonly round: ChildRound; readonly failed: readonly number[] }[],
): readonly number[] {
  const found = new Set<number>();
  for (const { failed, round } of rounds) {
    for (const number of round.numbers ?? []) found.delete(number);
    for (const index of failed) found.add(numberOf({ round, index }));
  }
  return [...found].sort((a, b) => a - b);
}
