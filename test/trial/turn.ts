const DAY_MS = 24 * 3_600_000;

/**
 * Whose turn it is where the gate plays a part of what there is: each day it is that of another
 * part, so that in the end every part has had its turn. A number that grows by one with every day.
 *
 * @param now In milliseconds since 1970.
 */
export function turnAt(now: number): number {
  return Math.floor(now / DAY_MS);
}
