import { type Hold, storeOutages } from '../faults/index.js';
import {
  hangingReceiver,
  harmsOf,
  OUTAGE_FLOWS,
  outageText,
  outlive,
  type Outlived,
  targetOf,
} from '../outages/index.js';
import { Stack } from '../stack/index.js';
import { seededRandom } from '../trial/seeded-random.js';
import { writeFlows, writeHosts } from '../trial/inputs.js';
import type { Profile } from './profiles.js';

/** How long the store of a distributed set is harmed, and how. */
export interface OutageSoakPlan {
  readonly folder: string;
  readonly profile: Profile & Required<Pick<Profile, 'outageEveryMs'>>;
  readonly seconds: number;
  readonly seed: number;
  /** Ends it before its time, between two outages. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * Tasks a second. Few: a store that starts cold has to hold all of them, and the server that stands
 * in for MongoDB is slow to start with more than two thousand.
 */
const PER_SECOND = 5;
/** Tasks of one store: from then on, a new set goes on. */
const TASKS_MAX = 1_500;
/** The receiver of messages for people does not answer this number of them. */
const HANG_SHARE = 0.1;

/** Outages in a rhythm, in rounds with a store of their own; whether nothing was harmed. */
export async function soakOutages(plan: OutageSoakPlan): Promise<boolean> {
  const roundMax = TASKS_MAX / PER_SECOND;
  let isGood = true;
  for (let left = plan.seconds, round = 0; left > 0 && !plan.signal.aborted; round += 1) {
    const seconds = Math.min(left, roundMax);
    left -= seconds;
    const outlived = await soakRound({ ...plan, seconds, seed: plan.seed + round });
    plan.print(outageText(outlived));
    isGood &&= harmsOf(outlived).length === 0 && outlived.endedMs !== null;
  }
  return isGood;
}

async function soakRound(plan: OutageSoakPlan): Promise<Outlived> {
  const { folder, print, profile, seconds, seed, signal } = plan;
  const hold: Hold = { random: seededRandom(seed + 3), seconds: profile.holdSeconds };
  const receiver = await hangingReceiver(seed, HANG_SHARE);
  const stack = await Stack.start({
    folder,
    gateways: 2,
    executors: { resource: 2, mysql: 2, monitor: 2, lab: 2 },
    proxied: true,
    settings: {
      ...profile.settings,
      resourceHosts: await writeHosts(folder),
      flows: await writeFlows(folder, OUTAGE_FLOWS),
      alertWebhook: receiver.url,
      alertSecret: receiver.secret,
    },
  });
  const endsAt = performance.now() + seconds * 1_000;
  try {
    const { lines, servers } = stack;
    const outages = storeOutages(servers.mongo, lines.mongo, hold);
    const isOver = () => signal.aborted || performance.now() >= endsAt;
    const everyMs = profile.outageEveryMs;
    const target = targetOf(stack);
    return await outlive({ target, outages, perSecond: PER_SECOND, seed, everyMs, isOver, print });
  } finally {
    await stack.stop();
    await receiver.stop();
  }
}
