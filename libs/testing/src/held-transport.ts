import type { Dispatch } from '#core';
import {
  type Concurrency,
  type Consumer,
  type Crowd,
  type DeliveryHandler,
  type QueueDepth,
  type StepTransport,
  type TransportTrouble,
  TransportUnavailable,
} from '#ports';

/** How often a message is carried: once, several times, or not at all (0). */
type Carriage = (dispatch: Dispatch) => number;

/**
 * A transport whose losses and repetitions a test decides; else each message arrives once, soon.
 */
export class HeldTransport implements StepTransport {
  readonly sent: Dispatch[] = [];
  /** Copies of a message that arrive; default: one. */
  carry: Carriage = () => 1;
  /** Set: the broker cannot be reached. */
  down = false;
  private readonly handlers = new Map<string, DeliveryHandler>();
  private readonly waiting: Dispatch[] = [];

  get obstacle(): TransportUnavailable | null {
    return this.down ? new TransportUnavailable('the broker is down') : null;
  }

  async publish(dispatches: readonly Dispatch[]): Promise<void> {
    if (this.obstacle !== null) throw this.obstacle;
    for (const dispatch of dispatches) {
      this.sent.push(dispatch);
      for (let copy = this.carry(dispatch); copy > 0; copy--) this.deliver(dispatch);
    }
  }

  async consume(module: string, _limit: Concurrency, handler: DeliveryHandler): Promise<Consumer> {
    // A consumer of its own, also where a handler has several.
    const own: DeliveryHandler = (...given) => handler(...given);
    this.handlers.set(module, own);
    const mine = this.waiting.filter(({ message }) => message.module === module);
    for (const dispatch of mine) {
      this.waiting.splice(this.waiting.indexOf(dispatch), 1);
      this.deliver(dispatch);
    }
    return {
      stop: async () => {
        if (this.handlers.get(module) === own) this.handlers.delete(module);
      },
    };
  }

  async depth(module: string): Promise<QueueDepth> {
    return this.waiting.filter(({ message }) => message.module === module).length;
  }

  async receivers(module: string): Promise<number | null> {
    return this.handlers.has(module) ? 1 : 0;
  }

  troubles(): readonly TransportTrouble[] {
    return [];
  }

  async ping(): Promise<void> {
    if (this.obstacle !== null) throw this.obstacle;
  }

  async close(): Promise<void> {
    this.handlers.clear();
  }

  /** Hands a message to its module's consumer, as often as a test likes; one given back waits. */
  deliver(dispatch: Dispatch, crowd?: Crowd): void {
    const handler = this.handlers.get(dispatch.message.module);
    if (handler === undefined) this.waiting.push(dispatch);
    else void handler(dispatch, crowd).then((v) => v === 'later' && this.waiting.push(dispatch));
  }
}
