/** Chance that can be repeated. */
export interface SeededRandom {
  /** From 0 up to 1, without 1. */
  next(): number;
  /** A whole number between two, both included. */
  between(first: number, last: number): number;
  pick<T>(items: readonly T[]): T;
}

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (first: number, last: number) => first + Math.floor(next() * (last - first + 1));
  return {
    next,
    between,
    pick: <T>(items: readonly T[]): T => items[between(0, items.length - 1)] as T,
  };
}
