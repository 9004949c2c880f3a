import { setImmediate as turn } from 'node:timers/promises';
import { type Dispatch, directionOf } from '#core';
import type {
  Concurrency,
  Consumer,
  DeliveryHandler,
  PublishOptions,
  QueueDepth,
  StepTransport,
} from '#ports';
import type { CrashSwitch } from './crash-switch.js';
import type { InHand } from './in-hand.js';
import type { Passing } from './passing.js';

/** Turns of the event loop after which an acknowledgement has left the process. */
const ACK_TURNS = 4;

/** A transport at whose borders the process may die. */
export class CrashingTransport implements StepTransport {
  constructor(
    private readonly transport: StepTransport,
    private readonly crash: CrashSwitch,
    private readonly inHand: InHand,
  ) {}

  publish(dispatches: readonly Dispatch[], options?: PublishOptions): Promise<void> {
    const passings = dispatches.flatMap(({ message }): readonly Omit<Passing, 'edge'>[] => {
      const passing = { border: 'publish', direction: directionOf(message.type) } as const;
      const writes = this.inHand.writesBehind(message);
      return writes.length === 0 ? [passing] : writes.map((of) => ({ ...passing, of }));
    });
    return this.crash.around(passings, () => this.transport.publish(dispatches, options));
  }

  consume(module: string, concurrency: Concurrency, handler: DeliveryHandler): Promise<Consumer> {
    return this.transport.consume(module, concurrency, async (dispatch, crowd) => {
      this.crash.pass([{ border: 'delivery', edge: 'before' }]);
      this.inHand.delivered(dispatch.message.taskId);
      const verdict = await handler(dispatch, crowd);
      if (verdict === 'ack') void this.#acknowledged();
      return verdict;
    });
  }

  async #acknowledged(): Promise<void> {
    for (let turns = 0; turns < ACK_TURNS; turns += 1) await turn();
    this.crash.pass([{ border: 'delivery', edge: 'after' }]);
  }

  depth(module: string): Promise<QueueDepth> {
    return this.transport.depth(module);
  }

  receivers(module: string): Promise<number | null> {
    return this.transport.receivers(module);
  }

  troubles(): ReturnType<StepTransport['troubles']> {
    return this.transport.troubles();
  }

  get obstacle(): StepTransport['obstacle'] {
    return this.transport.obstacle;
  }

  ping(): Promise<void> {
    return this.transport.ping();
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
