import type { SeededRandom } from '../trial/seeded-random.js';

/**
 * No chance at all: everything takes its shortest time, or once its longest, and of several the
 * first is taken.
 */
export class SteadyChance implements SeededRandom {
  /** Whether the next wait takes its longest time instead of its shortest. */
  isLong = false;

  next(): number {
    return 0.5;
  }

  between(first: number, last: number): number {
    return this.isLong ? last : first;
  }

  pick<T>(items: readonly T[]): T {
    return items[0] as T;
  }
}
