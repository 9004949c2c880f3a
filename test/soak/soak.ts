import { countByStatus, judge, untilAllEnded, type Verdict } from '../ledger/index.js';
import { Api, Load, type Order, someInstance } from '../load/index.js';
import { type Blow, type BlowReport, formatReport, storm } from '../storm/index.js';
import { type SeededRandom, seededRandom } from '../trial/seeded-random.js';
import { MemoryWatch } from './memory-watch.js';
import { OnCall } from './on-call.js';
import type { SoakTarget } from './targets.js';

/** How long a deployment is harmed, and in which order. */
export interface SoakPlan {
  readonly target: SoakTarget;
  readonly seconds: number;
  readonly seed: number;
  /** Ends it before its time, between two blows. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** The figures of a soak. */
export interface SoakFigures extends Verdict {
  readonly tasks: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly reports: readonly BlowReport[];
  /** How often a rollback that a wrong clock had ended was retried by a person. */
  readonly calls: number;
  /** MiB an hour; undefined where no process lived long enough. */
  readonly memorySlope: number | undefined;
}

const LIVE_MAX = 100;
/** Above every promise by far: a task that has not ended by then is stuck. */
const WITHIN_MS = 180_000;

/** Load and blows without end until the time is over; then everything has to end well. */
export async function soak(plan: SoakPlan): Promise<SoakFigures> {
  const { seed, target } = plan;
  const memory = new MemoryWatch(target.processes);
  const strange = watchEnds(target);
  const onCall = new OnCall(new Api(target.urls[0]!));
  const load = new Load({
    urls: target.urls,
    perSecond: target.perSecond,
    liveMax: LIVE_MAX,
    random: seededRandom(seed + 1),
    next: someInstance,
    name: `soak-${seed}`,
  });
  const reports: BlowReport[] = [];
  try {
    await dealBlows(plan, { load, reports });
  } catch (error) {
    strange.push((error as Error).message);
  }
  memory.stop();
  const verdict = await close(await load.finish(), target);
  onCall.stop();
  const { calls } = onCall;
  const needless = target.clock === 'store' ? calls : [];
  const wrong = [...strange, ...verdict.wrong, ...needless];
  return { ...verdict, wrong, reports, calls: calls.length, memorySlope: memory.slope };
}

async function dealBlows(
  { print, seconds, seed, signal, target }: SoakPlan,
  { load, reports }: { load: Load; reports: BlowReport[] },
): Promise<void> {
  const random = seededRandom(seed);
  const endsAt = performance.now() + seconds * 1_000;
  const isOver = () => signal.aborted || performance.now() >= endsAt;
  await storm({
    load,
    random: seededRandom(seed + 2),
    blows: endless(target.blows, random, isOver),
    url: target.urls[0]!,
    withinMs: WITHIN_MS,
    onReport: (report) => {
      reports.push(report);
      print(formatReport(report));
    },
  });
}

/** In an order that the seed alone decides. */
function* endless(blows: readonly Blow[], random: SeededRandom, isOver: () => boolean) {
  while (!isOver()) yield random.pick(blows);
}

/** A process that ends without being told to is something wrong; the rest goes on. */
function watchEnds({ processes }: SoakTarget): string[] {
  const strange: string[] = [];
  for (const process of processes) {
    process.onUnexpectedExit = (exit) => {
      strange.push(`${process.name} ended by itself: ${JSON.stringify(exit)}`);
      process.launch();
    };
  }
  return strange;
}

async function close(
  orders: readonly Order[],
  { data, hostsUrl, urls: [url] }: SoakTarget,
): Promise<Verdict & Pick<SoakFigures, 'tasks' | 'counts'>> {
  const api = new Api(url!);
  // The verdict reports tasks that have not ended by then.
  await untilAllEnded(api, { withinMs: WITHIN_MS }).catch(() => undefined);
  const counts = countByStatus(await api.list());
  const verdict = await judge(orders, { url: url!, hostsUrl, data });
  return { ...verdict, tasks: orders.length, counts };
}
