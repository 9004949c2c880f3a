import type { HistoryResult } from './history.js';

/** How many failed histories a summary keeps; the others it counts. */
const FAILED_KEPT = 100;

/** The summary of many histories. */
export interface Summary {
  readonly played: number;
  readonly events: number;
  readonly seconds: number;
  /** How often each rare thing happened, in all of them. */
  readonly sightings: ReadonlyMap<string, number>;
  /** How many histories broke a promise, and the first of them. */
  readonly failures: number;
  readonly failed: readonly HistoryResult[];
}

/** Adds histories up. */
export class Tally {
  private readonly started = performance.now();
  private readonly sightings = new Map<string, number>();
  private readonly failed: HistoryResult[] = [];
  private failures = 0;
  private events = 0;
  private played = 0;

  /** One more history. */
  add(result: HistoryResult): void {
    this.count({ played: 1, events: result.events, sightings: result.sightings });
    if (result.violations.length > 0) this.keep([result], 1);
  }

  /** Histories that were added up elsewhere. */
  addAll({ events, failed, failures, played, sightings }: Summary): void {
    this.count({ played, events, sightings });
    this.keep(failed, failures);
  }

  /** The summary of all histories up to now. */
  summary(): Summary {
    const { events, failed, failures, played, sightings } = this;
    const seconds = (performance.now() - this.started) / 1_000;
    return { played, events, seconds, sightings, failures, failed };
  }

  private count({ events, played, sightings }: Omit<Summary, 'seconds' | 'failed' | 'failures'>) {
    this.played += played;
    this.events += events;
    for (const [name, count] of sightings) {
      this.sightings.set(name, (this.sightings.get(name) ?? 0) + count);
    }
  }

  private keep(failed: readonly HistoryResult[], failures: number): void {
    this.failures += failures;
    this.failed.push(...failed.slice(0, Math.max(0, FAILED_KEPT - this.failed.length)));
  }
}
