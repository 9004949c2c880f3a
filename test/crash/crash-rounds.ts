import type { AlertReceiver } from '../alerts/receiver.js';
import { judge, untilAllEnded, type Verdict } from '../ledger/index.js';
import { Api, Load, type NextOrder, type Order } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import type { AppProcess, Deployment } from '../stack/index.js';
import type { SeededRandom } from '../trial/index.js';
import { type CrashOrder, deathText, orderCrash } from './crash-order.js';
import type { CrashPoint } from './points.js';
import { SCENES, type Stage } from './scenes.js';

const DEATH_MS = 60_000;
const END_MS = 120_000;
/** More would be measured as recovery where a machine is slow, and is only a backlog. */
const LIVE_MAX = 12;

/** The parts that crash rounds need. */
export interface RoundParts {
  readonly backstep: Deployment;
  readonly receiver: AlertReceiver;
  readonly random: SeededRandom;
  readonly perSecond: number;
  /** Makes the idempotency keys of these rounds their own. */
  readonly name: string;
}

/** The result of the kills at one point. */
export interface PointReport extends Verdict {
  /** Milliseconds from readiness to the end of each task that the crash had interrupted. */
  readonly recoveryMs: readonly number[];
}

/** Kills one process after the other under load, and looks at what is left of every task. */
export class CrashRounds {
  readonly #orders: Order[] = [];
  readonly #api: Api;
  /** Processes that ended without an order to. */
  readonly #strangeEnds: string[] = [];
  #doomed: AppProcess | undefined;
  #rounds = 0;

  constructor(private readonly parts: RoundParts) {
    this.#api = new Api(parts.backstep.url);
    for (const process of parts.backstep.processes) {
      process.onUnexpectedExit = (exit) => {
        if (process === this.#doomed) return;
        this.#strangeEnds.push(`${process.name} ended by itself: ${JSON.stringify(exit)}`);
      };
    }
  }

  /** All kills of a point, then a look at everything that any round so far has left. */
  async play(point: CrashPoint): Promise<PointReport> {
    const recoveryMs: number[] = [];
    for (const [at, nth] of point.kills) {
      const name = `${point.id}:${nth} (${at.edge} ${at.border})`;
      recoveryMs.push(...(await this.#kill(point, { name, at, nth })));
    }
    const { backstep, receiver } = this.parts;
    const { lost, stuck, wrong } = await judge(this.#orders, backstep);
    const forged = receiver.arrivals
      .filter(({ genuine }) => !genuine)
      .map(({ id }) => `alert ${id} is not signed as it should be`);
    const strange = this.#strangeEnds.splice(0);
    return { lost, stuck, wrong: [...wrong, ...forged, ...strange], recoveryMs };
  }

  async #kill(point: CrashPoint, order: CrashOrder): Promise<readonly number[]> {
    const { backstep, receiver } = this.parts;
    const victim = backstep.processOf(point.victim);
    await this.#startMissing();
    const pid = victim.pid!;
    this.#doomed = victim;
    await orderCrash(victim, order);
    const scene = SCENES[point.scene];
    const load = this.#startLoad(scene.next);
    const stage: Stage = { api: this.#api, load, victim, receiver };
    const provoked = scene.provoke?.(stage);
    // The waiting caller gets the error.
    provoked?.catch(() => {});
    await this.#untilDead(victim, order, pid).catch(async (error: unknown) => {
      await victim.kill();
      // Else it would go on beside the rounds of every later point.
      this.#orders.push(...(await load.finish()));
      throw error;
    });
    const diedAt = Date.now();
    this.#doomed = undefined;
    const finished = load.finish();
    await victim.start();
    const readyAt = Date.now();
    this.#orders.push(...(await finished));
    await provoked;
    await scene.mend?.(stage);
    await untilAllEnded(this.#api, { withinMs: END_MS });
    return this.#recoveriesOf(load, { diedAt, readyAt });
  }

  #startLoad(next: NextOrder): Load {
    const { backstep, name, perSecond, random } = this.parts;
    this.#rounds += 1;
    const plan = { urls: [backstep.url], perSecond, random, next, liveMax: LIVE_MAX };
    return new Load({ ...plan, name: `${name}-${this.#rounds}` });
  }

  /** A round that failed may have left a process dead. */
  async #startMissing(): Promise<void> {
    const missing = this.parts.backstep.processes.filter(({ pid }) => pid === undefined);
    await Promise.all(missing.map((process) => process.start()));
  }

  /** Only a process that has said so has died where it should. */
  async #untilDead(victim: AppProcess, order: CrashOrder, pid: number): Promise<void> {
    const gone = async (): Promise<void> => {
      if (victim.pid !== undefined) throw new Error('it lives');
    };
    const what = `${victim.name} does not die at ${order.name}`;
    await waitUntil(gone, { what, deadlineMs: DEATH_MS });
    const { signal } = victim.lastExit ?? {};
    if (signal === 'SIGKILL' && victim.log.includes(deathText(order, pid))) return;
    throw new Error(`${what}: it ended otherwise, ${JSON.stringify(victim.lastExit)}`);
  }

  async #recoveriesOf(
    { orders }: Load,
    { diedAt, readyAt }: { diedAt: number; readyAt: number },
  ): Promise<readonly number[]> {
    const ends = orders.map(async ({ taskId = '' }) => {
      const last = (await this.#api.events(taskId)).at(-1);
      return Date.parse(last?.at ?? '');
    });
    const interrupted = (await Promise.all(ends)).filter((endedAt) => endedAt > diedAt);
    return interrupted.map((endedAt) => Math.max(0, endedAt - readyAt));
  }
}
