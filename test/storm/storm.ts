import { untilAllEnded } from '../ledger/index.js';
import type { SeededRandom } from '../trial/index.js';
import { Api, type Load } from '../load/index.js';

/** Something bad that is done under load, and what has to be put right after it. */
export interface Blow {
  readonly name: string;
  /** Resolves when the thing that was harmed is there again. */
  strike(): Promise<unknown>;
}

/** The load, and the blows that are dealt under it. */
export interface StormPlan {
  readonly load: Load;
  readonly random: SeededRandom;
  /** Dealt in this order. */
  readonly blows: Iterable<Blow>;
  /** A gateway to ask; after each blow it answers again. */
  readonly url: string;
  /** How long tasks may take to end after a blow. */
  readonly withinMs: number;
  /** Receives each blow's report as soon as it is over. */
  readonly onReport?: (report: BlowReport) => void;
}

/** The result of a blow, under load all the while. */
export interface BlowReport {
  readonly name: string;
  /** Milliseconds until the harmed part was back. */
  readonly backMs: number;
  /** Milliseconds from then on until all earlier tasks had ended: the recovery. */
  readonly recoveredMs: number;
}

/** Seconds between two blows. */
const CALM_S = [0.5, 2] as const;

/** Strikes at random moments, and waits each time until the earlier tasks have ended. */
export async function storm(plan: StormPlan): Promise<readonly BlowReport[]> {
  const { blows, load, random, url, withinMs } = plan;
  const reports: BlowReport[] = [];
  for (const blow of blows) {
    await load.run(CALM_S[0] + random.next() * (CALM_S[1] - CALM_S[0]));
    const report = await deal(blow, { url, withinMs });
    reports.push(report);
    plan.onReport?.(report);
  }
  return reports;
}

async function deal(
  blow: Blow,
  { url, withinMs }: Pick<StormPlan, 'url' | 'withinMs'>,
): Promise<BlowReport> {
  const struckAt = performance.now();
  try {
    await blow.strike();
    const [backAt, createdBefore] = [performance.now(), Date.now()];
    await untilAllEnded(new Api(url), { withinMs, createdBefore });
    const recoveredMs = Math.round(performance.now() - backAt);
    return { name: blow.name, backMs: Math.round(backAt - struckAt), recoveredMs };
  } catch (error) {
    throw new Error(`after "${blow.name}": ${(error as Error).message}`, { cause: error });
  }
}
