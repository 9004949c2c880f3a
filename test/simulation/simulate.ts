import { type HistoryResult, playHistory } from './history.js';
import type { Mutant } from './mutant.js';
import { type Summary, Tally } from './summary.js';

/** Which histories to play. */
export interface SimulateOptions {
  readonly from: number;
  readonly seeds: number;
  readonly mutant: Mutant | null;
}

/** Plays histories one after the other, here; with a mutant, until it is found. */
export async function simulate({ from, mutant, seeds }: SimulateOptions): Promise<Summary> {
  const tally = new Tally();
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await playWith(seed, mutant);
    tally.add(result);
    if (mutant !== null && result.violations.length > 0) break;
  }
  return tally.summary();
}

/** Plays a history; what is broken without all of the mutant does not count as its doing. */
async function playWith(seed: number, mutant: Mutant | null): Promise<HistoryResult> {
  const result = await playHistory(seed, { mutant });
  if (mutant?.beyond === undefined || result.violations.length === 0) return result;
  const { violations } = await playHistory(seed, { mutant: mutant.beyond });
  return violations.length === 0 ? result : { ...result, violations: [] };
}
