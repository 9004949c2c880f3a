import { AlertReceiver } from '../alerts/receiver.js';
import { countByStatus, judge, untilAllEnded, type Verdict } from '../ledger/index.js';
import { Api, Load } from '../load/index.js';
import type { Deployment, Stack } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import { seededRandom } from '../trial/seeded-random.js';
import { type Harm, harmTo } from './harm.js';
import { someOrder, WIDE_FLOWS } from './orders.js';
import { dealInTurn, type Outage } from './rhythm.js';

/** Load on a Backstep, and outages of its store in a rhythm. */
export interface OutagePlan {
  readonly target: OutageTarget;
  readonly outages: readonly Blow[];
  readonly perSecond: number;
  readonly seed: number;
  /** From the beginning of one outage to that of the next. */
  readonly everyMs: number;
  readonly isOver: () => boolean;
  readonly print: (line: string) => void;
}

/** The deployment that the load is sent to, and where its traces are. */
export type OutageTarget = Pick<
  Deployment,
  'data' | 'effectsUrl' | 'hostsUrl' | 'processes' | 'url'
> & { readonly urls: readonly string[] };

/** The result of the load and its outages. */
export interface Outlived extends Harm, Verdict {
  readonly tasks: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly outages: readonly Outage[];
  /** Milliseconds after the last outage until every task had ended; null: too long. */
  readonly endedMs: number | null;
}

/** How long tasks may take to end after the last outage. */
const WITHIN_MS = 60_000;

/** Deals outages under load; then every task has to end, as its order says. */
export async function outlive(plan: OutagePlan): Promise<Outlived> {
  const { perSecond, print, seed, target } = plan;
  const { url } = target;
  const strange = watchEnds(target);
  const load = new Load({
    urls: target.urls,
    perSecond,
    random: seededRandom(seed + 1),
    next: someOrder,
    name: `outages-${seed}`,
  });
  const outages = await dealInTurn({
    ...plan,
    random: seededRandom(seed),
    onOutage: (outage) => print(outageLine(outage)),
  });
  const overAt = performance.now();
  const orders = await load.finish();
  const api = new Api(url);
  const withinMs = Math.max(0, WITHIN_MS - (performance.now() - overAt));
  const endedMs = await untilAllEnded(api, { withinMs }).then(
    () => Math.round(performance.now() - overAt),
    () => null,
  );
  const verdict = await judge(orders, { ...target, wide: WIDE_FLOWS });
  const harm = await harmTo(url, orders);
  const counts = countByStatus(await api.list());
  const wrong = [...strange, ...verdict.wrong];
  return { ...verdict, wrong, ...harm, tasks: orders.length, counts, outages, endedMs };
}

/** A distributed set as a target: its load goes to all gateways. */
export function targetOf(stack: Stack): OutageTarget {
  const { data, effectsUrl, gateways, hostsUrl, processes, url } = stack;
  return { data, effectsUrl, hostsUrl, processes, url, urls: gateways.map((each) => each.url) };
}

/** A receiver of alerts that takes a share of the requests and never answers them. */
export async function hangingReceiver(seed: number, share: number): Promise<AlertReceiver> {
  const secret = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;
  const receiver = await AlertReceiver.open(secret);
  const random = seededRandom(seed + 2);
  receiver.hangs = () => random.next() < share;
  return receiver;
}

/** Nobody harms a process: one that ends is something wrong. */
function watchEnds({ processes }: OutageTarget): string[] {
  const strange: string[] = [];
  for (const process of processes) {
    process.onUnexpectedExit = (exit) => {
      strange.push(`${process.name} ended by itself: ${JSON.stringify(exit)}`);
      process.launch();
    };
  }
  return strange;
}

function outageLine({ from, lastedMs, name }: Outage): string {
  return `  ${from.toISOString()} ${name}: ${(lastedMs / 1_000).toFixed(1)} s`;
}
