import { countByStatus, untilAllEnded } from '../ledger/index.js';
import { Api, Load, type LoadPlan, type Order } from '../load/index.js';
import type { Trial } from '../trial/index.js';
import { formatReports } from './recovery.js';
import { type Blow, storm } from './storm.js';

/** Load, and blows to what works it off. */
export interface OrdealPlan extends Pick<LoadPlan, 'liveMax' | 'next' | 'perSecond'> {
  /** Its name in reports; makes its idempotency keys its own. */
  readonly name: string;
  readonly blows: readonly Blow[];
  /** A gateway to ask. */
  readonly url: string;
  /** Gateways that take the load. Default: the one to ask. */
  readonly urls?: readonly string[];
  /** How long tasks may take to end after a blow. */
  readonly withinMs: number;
}

/** The state when every task has ended. */
export interface Endured {
  readonly orders: readonly Order[];
  /** The tasks of these orders. */
  readonly tasks: Awaited<ReturnType<Api['list']>>;
  /** The statuses with which gateways have put clients off. */
  readonly refusals: readonly number[];
}

/** Deals blows under load and waits for the end of the last task; tells how long recovery took. */
export async function endure({ random, seed }: Trial, plan: OrdealPlan): Promise<Endured> {
  const { blows, name, url, withinMs } = plan;
  const load = new Load({ ...plan, urls: plan.urls ?? [url], random, name: `${name}-${seed}` });
  const reports = await storm({ load, random, blows, url, withinMs });
  const orders = await load.finish();
  const api = new Api(url);
  await untilAllEnded(api, { withinMs });
  const mine = new Set(orders.map(({ taskId }) => taskId));
  const tasks = (await api.list()).filter(({ taskId }) => mine.has(taskId));
  const counts = JSON.stringify(countByStatus(tasks));
  const what = `${name}, seed ${seed}, ${orders.length} tasks`;
  console.log(`${what}: ${counts}\n${formatReports(reports)}`);
  return { orders, tasks, refusals: [...load.refusals] };
}
