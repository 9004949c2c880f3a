import type { Scope, ScopeKind } from './scope.js';

/** The scopes that a step holds, by their numbers. */
export interface HeldScopes {
  /** Every one that has a block, in the order of these. */
  readonly numbers: readonly number[];
  /** Those on their way, in the same order. */
  readonly open: readonly number[];
  /** Those that are done, in the order in which they ran. */
  readonly done: readonly number[];
  /** Those that left nothing behind, so that their blocks may be taken again, in their order. */
  readonly free: readonly number[];
  /** Those of the steps that caught an error of it and that were entered, in their order. */
  readonly caught: readonly number[];
  /** How many were entered. */
  readonly entered: number;
  /** How often it ran each of its lists. */
  readonly lists: readonly HeldList[];
}

/** One of a step's lists that it has run. */
interface HeldList {
  readonly kind: ScopeKind;
  readonly list: number;
  /** The highest round among its scopes; null: scopes were forgotten, so it is to be looked for. */
  readonly last: number | null;
}

const NONE: readonly never[] = Object.freeze([]);

/** The scopes of a step that holds none. */
export const NOTHING_HELD: HeldScopes = Object.freeze({
  numbers: NONE,
  open: NONE,
  done: NONE,
  free: NONE,
  caught: NONE,
  entered: 0,
  lists: NONE,
});

/** A scope with its number, as it was and as it is now. */
interface ScopePut {
  readonly scope: number;
  readonly before: Scope | undefined;
  readonly next: Scope;
  /** Every scope of the task, this one as it is now. */
  readonly scopes: readonly Scope[];
}

/** The scopes of a step once one of them is there, or is another. */
export function withScope(held: HeldScopes, put: ScopePut): HeldScopes {
  const { before, next, scope } = put;
  const isSame = before !== undefined && before.round === next.round;
  if (isSame && before.stage === next.stage) return held;
  const wasCaught = before !== undefined && isCatch(before);
  const caught = wasCaught ? without(held.caught, scope) : held.caught;
  return {
    numbers: before === undefined ? [...held.numbers, scope] : held.numbers,
    open: moved(held.open, put, 'open'),
    done: moved(held.done, put, 'done'),
    free: moved(held.free, put, 'free'),
    caught: isCatch(next) ? inserted(caught, scope, isLess) : caught,
    entered: held.entered + entered(next) - (before === undefined ? 0 : entered(before)),
    lists: isSame ? held.lists : listsWith(held.lists, put),
  };
}

function isCatch({ kind, round }: Scope): boolean {
  return kind === 'catch' && round > 0;
}

function entered({ round }: Scope): number {
  return round > 0 ? 1 : 0;
}

/** Whether a scope is on its way, is done, or left nothing behind. */
function standing({ round, stage }: Scope): 'open' | 'done' | 'free' {
  return round === 0 || stage === 'clean' ? 'free' : stage;
}

function moved(
  list: readonly number[],
  { before, next, scope, scopes }: ScopePut,
  as: ReturnType<typeof standing>,
): readonly number[] {
  const isIn = standing(next) === as;
  const wasIn = before !== undefined && standing(before) === as;
  if (!isIn && !wasIn) return list;
  const others = wasIn ? without(list, scope) : list;
  if (!isIn) return others;
  return inserted(others, scope, as === 'done' ? (a, b) => isEarlier(scopes, a, b) : isLess);
}

function isLess(one: number, other: number): boolean {
  return one < other;
}

/** Whether one scope of a step ran before another. Its `catch` scope runs after all others. */
function isEarlier(scopes: readonly Scope[], a: number, b: number): boolean {
  const [one, two] = [scopes[a], scopes[b]];
  if (one === undefined || two === undefined) return a < b;
  const isOther = (one.kind === 'catch') !== (two.kind === 'catch');
  if (isOther) return two.kind === 'catch';
  return one.round === two.round ? a < b : one.round < two.round;
}

function without(list: readonly number[], scope: number): readonly number[] {
  const at = list.lastIndexOf(scope);
  return at < 0 ? list : list.toSpliced(at, 1);
}

/** Most come last, so the place is looked for from the end. */
function inserted(
  list: readonly number[],
  scope: number,
  isBefore: (one: number, other: number) => boolean,
): readonly number[] {
  let at = list.length;
  while (at > 0 && isBefore(scope, list[at - 1] ?? 0)) at -= 1;
  return list.toSpliced(at, 0, scope);
}

function listsWith(lists: readonly HeldList[], { before, next }: ScopePut): readonly HeldList[] {
  const { kind, list, round } = next;
  const at = lists.findIndex((one) => one.kind === kind && one.list === list);
  const known = lists[at];
  if (known === undefined) return [...lists, { kind, list, last: round }];
  // A scope that begins has a higher round than any; one that is forgotten may have had it.
  const last = round > (before?.round ?? 0) ? Math.max(known.last ?? 0, round) : null;
  return last === known.last ? lists : lists.with(at, { kind, list, last });
}

/** How often a step ran one of its lists. */
export function roundsHeld(
  held: HeldScopes,
  scopes: readonly Scope[],
  of: Pick<HeldList, 'kind' | 'list'>,
): number {
  const known = held.lists.find(({ kind, list }) => kind === of.kind && list === of.list);
  if (known === undefined || known.last !== null) return known?.last ?? 0;
  let last = 0;
  for (const number of held.numbers) {
    const { kind, list, round } = scopes[number] as Scope;
    if (kind === of.kind && list === of.list && round > last) last = round;
  }
  return last;
}
