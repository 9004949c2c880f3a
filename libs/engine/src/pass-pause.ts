/** Shortest and longest pause between two passes, in milliseconds. */
const LEAST_MS = 500;
const MOST_MS = 60_000;

/** The pause between two passes over what is kept for so long, in milliseconds. */
export function pauseOfPass(keptMs: number): number {
  return within(keptMs / 20, [LEAST_MS, MOST_MS]);
}

/** The number, or the bound that it lies beyond. */
export function within(ms: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, ms));
}
