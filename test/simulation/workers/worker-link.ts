import type { WorkDesk } from '#engine';
import { type AbortSignalLike, StoreUnavailable } from '#ports';
import type { Cluster } from '../cluster.js';
import { LightAbort } from '../light-abort.js';
import type { SimProcess } from '../sim-process.js';

/** A call of a worker. */
export interface Call<T> {
  /** Made at the desk of a gateway; `closed`: the worker's connection is no more. */
  readonly ask: (desk: WorkDesk, closed: AbortSignalLike) => Promise<T>;
  /** The gateway could not write the answer, and knows it. */
  readonly unread?: (desk: WorkDesk, answer: T) => Promise<void>;
  /** How long the worker waits for an answer, in milliseconds. */
  readonly patienceMs: number;
}

/** The way of a worker to the gateways: calls and answers travel, and either may be lost. */
export class WorkerLink {
  constructor(
    private readonly process: SimProcess,
    private readonly cluster: Cluster,
  ) {}

  /** Calls some gateway. Rejects when there is no answer, or none but an outage. */
  call<T>(call: Call<T>): Promise<T> {
    const { cluster, process } = this;
    const { line, random } = process.world;
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(why));
      const timer = process.clock.after(call.patienceMs, () => fail('no answer'));
      const settle = (ms: number, tell: () => void): void =>
        process.later(ms, () => {
          timer.cancel();
          tell();
        });
      const gateways = cluster.gateways();
      if (gateways.length === 0 || process.world.strikes('callLost')) {
        settle(random.between(10, 2_000), () => fail('not reached'));
        return;
      }
      const gateway = random.pick(gateways);
      gateway.onDeath.push(() => settle(5, () => fail('the gateway has ended')));
      line.after(random.between(1, 8), () => {
        gateway.enter(() => this.serve(gateway, call, { settle, resolve, fail }));
      });
    });
  }

  private serve<T>(
    gateway: SimProcess,
    { ask, unread }: Call<T>,
    way: {
      readonly settle: (ms: number, tell: () => void) => void;
      readonly resolve: (answer: T) => void;
      readonly fail: (why: string) => void;
    },
  ): void {
    const { desk, world } = gateway;
    if (desk === null) return;
    const { random } = world;
    const closed = new LightAbort();
    // Without a word that the worker is gone, the answer is written into the void.
    const leave = (): void => gateway.enter(() => closed.abort(new Error('closed')));
    if (random.next() < 0.5) this.process.onDeath.push(leave);
    ask(desk, closed.signal).then(
      (answer) => {
        if (!world.strikes('answerLost')) {
          const ms = world.strikes('answerLate')
            ? random.between(1_000, 20_000)
            : random.between(1, 8);
          return way.settle(ms, () => way.resolve(answer));
        }
        world.see('answer to a worker lost');
        if (random.next() < 0.5) void unread?.(desk, answer);
        return way.settle(random.between(1, 500), () => way.fail('the answer was lost'));
      },
      (error: unknown) => {
        if (!(error instanceof StoreUnavailable)) {
          const text = error instanceof Error ? error.stack : String(error);
          world.violate('I12', `a desk threw ${text}`);
        }
        way.settle(5, () => way.fail('unavailable'));
      },
    );
  }
}
