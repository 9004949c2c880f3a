import { untilAllEnded } from '../ledger/index.js';
import type { SeededRandom } from '../trial/index.js';
import { Api, type Load } from '../load/index.js';

/** Something bad that is done under load, and what has to be put right after it. */
export interface Blow {
  readonly name: string;
  /** Resolves when the thing that was harmed is there again. */
  strike(): Promise<unknown>;
}

/** What is done while a load runs. */
export interface StormPlan {
  readonly load: Load;
  readonly random: SeededRandom;
  /** In this order. */
  readonly blows: readonly Blow[];
  /** A gateway to ask; after each blow it answers again. */
  readonly url: string;
  /** How long tasks may take to end after a blow. */
  readonly withinMs: number;
}

/** How long it took after a blow until all tasks of before had ended, under load all the while. */
export interface BlowReport {
  readonly name: string;
  /** Until what was harmed was there again. */
  readonly backMs: number;
  readonly endedMs: number;
}

/** Seconds between two blows. */
const CALM_S = [0.5, 2] as const;

/** Strikes at random moments, and waits each time until the tasks of before have ended. */
export async function storm(plan: StormPlan): Promise<readonly BlowReport[]> {
  const { blows, load, random, url, withinMs } = plan;
  const reports: BlowReport[] = [];
  for (const blow of blows) {
    await load.run(CALM_S[0] + random.next() * (CALM_S[1] - CALM_S[0]));
    const createdBefore = Date.now();
    await blow.strike();
    const backMs = Date.now() - createdBefore;
    await untilAllEnded(new Api(url), { withinMs, createdBefore });
    reports.push({ name: blow.name, backMs, endedMs: Date.now() - createdBefore });
  }
  return reports;
}

/** Reports as a line each, for people who read the output of a test. */
export function formatReports(reports: readonly BlowReport[]): string {
  return reports
    .map(({ backMs, endedMs, name }) => `  ${name}: back ${backMs} ms, all ended ${endedMs} ms`)
    .join('\n');
}
