import { type HistoryResult, playHistory } from './history.js';
import type { Mutant } from './mutant.js';

/** Which histories to play. */
export interface SimulateOptions {
  readonly from: number;
  readonly seeds: number;
  readonly mutant: Mutant | null;
}

/** What came of many histories. */
export interface Summary {
  readonly played: number;
  readonly events: number;
  readonly seconds: number;
  /** How often each rare thing happened, in all of them. */
  readonly sightings: ReadonlyMap<string, number>;
  readonly failed: readonly HistoryResult[];
}

/** Plays histories one after the other; with a mutant, until it is found. */
export async function simulate({ from, mutant, seeds }: SimulateOptions): Promise<Summary> {
  const started = performance.now();
  const sightings = new Map<string, number>();
  const failed: HistoryResult[] = [];
  let events = 0;
  let played = 0;
  const failuresMax = mutant === null ? seeds : 1;
  while (played < seeds && failed.length < failuresMax) {
    const result = await playHistory(from + played, { mutant });
    played += 1;
    events += result.events;
    for (const [name, count] of result.sightings) {
      sightings.set(name, (sightings.get(name) ?? 0) + count);
    }
    if (result.violations.length > 0) failed.push(result);
    // Promises that nobody looks after are told to the process only now.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const seconds = (performance.now() - started) / 1_000;
  return { played, events, seconds, sightings, failed };
}
