import type { KindName } from '#core';
import { type HistoryOptions, type HistoryResult, playHistory } from './history.js';
import type { Mutant } from './mutant.js';
import { type Summary, Tally } from './summary.js';

/** Which histories to play. */
export interface SimulateOptions {
  readonly from: number;
  readonly seeds: number;
  readonly mutant: Mutant | null;
  /** Kinds of steps that all flows are made of, besides commands; null: as the seeds say. */
  readonly kinds: readonly KindName[] | null;
  /** Workers serve some of the modules. */
  readonly hasWorkers?: boolean;
}

/** Plays histories one after the other, here; with a mutant, until it is found. */
export async function simulate(options: SimulateOptions): Promise<Summary> {
  const { from, kinds, mutant, seeds } = options;
  const hasWorkers = options.hasWorkers === true || mutant?.hasWorkers === true;
  const tally = new Tally();
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await playWith(seed, { kinds, mutant, hasWorkers });
    tally.add(result);
    if (mutant !== null && result.violations.length > 0) break;
  }
  return tally.summary();
}

/** Plays a history; what is broken without all of the mutant does not count as its doing. */
async function playWith(seed: number, options: HistoryOptions): Promise<HistoryResult> {
  const { mutant } = options;
  const result = await playHistory(seed, options);
  if (!mutant?.beyond || result.violations.length === 0) return result;
  const { violations } = await playHistory(seed, { ...options, mutant: mutant.beyond });
  return violations.length === 0 ? result : { ...result, violations: [] };
}
