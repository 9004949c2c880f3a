import type { Dispatch } from '#core';
import {
  type Concurrency,
  type Consumer,
  type DeliveryHandler,
  mostInHand,
  type QueueDepth,
  type StepTransport,
  TransportUnavailable,
} from '#ports';
import type { Broker, Subscription } from './broker.js';
import type { SimProcess } from './sim-process.js';

/** Receives every message that a process publishes. */
export type PublishWitness = (dispatch: Dispatch, publisher: string) => void;

/** A process's way to the broker. */
export class TransportPort implements StepTransport {
  private readonly inHand = new Set<Dispatch>();

  constructor(
    private readonly broker: Broker,
    private readonly process: SimProcess,
    private readonly witness: PublishWitness,
    /** Whether a message may leave; with a mutant that edits documents, some may not. */
    private readonly mayLeave: (dispatch: Dispatch) => boolean = () => true,
  ) {}

  publish(all: readonly Dispatch[]): Promise<void> {
    const { process } = this;
    const { world } = process;
    const named = world.mutant?.namesNoGeneration === true ? all.map(withoutGeneration) : all;
    const dispatches = named.filter(this.mayLeave);
    // Messages in hand that are passed on were sent before.
    const sent = dispatches.filter((dispatch) => !this.inHand.has(dispatch));
    for (const dispatch of sent) this.witness(dispatch, process.owner);
    return new Promise((resolve, reject) => {
      process.reach('publish');
      process.mayCrash();
      if (!process.alive) return;
      const isRefused = this.broker.isAway || world.strikes('publishRefused');
      const isUnclear = world.strikes('publishUnclear');
      if (!isRefused) for (const dispatch of dispatches) this.send(dispatch);
      const ms = world.random.between(2, 16);
      process.later(ms, () => {
        const isBelieved = world.mutant?.trustsBroker === true;
        if ((!isRefused && !isUnclear) || isBelieved) return resolve();
        world.see(isRefused ? 'publish refused' : 'publish unclear');
        reject(new TransportUnavailable('not confirmed'));
      });
    });
  }

  consume(module: string, concurrency: Concurrency, handler: DeliveryHandler): Promise<Consumer> {
    const { broker, process } = this;
    const inHand = new Set<Dispatch>();
    const rest = {
      concurrency: mostInHand(concurrency),
      handler: this.keeping(handler),
      inHand,
      isOpen: true,
      onEmpty: null,
    };
    const subscription: Subscription = { process, module, ...rest };
    broker.subscribe(subscription);
    const stop = (): Promise<void> =>
      new Promise((resolve) => {
        subscription.onEmpty = () => process.enter(resolve);
        broker.unsubscribe(subscription);
      });
    return Promise.resolve({ stop });
  }

  /** A handler whose messages are known to be in hand while it works on them. */
  private keeping(handler: DeliveryHandler): DeliveryHandler {
    return async (delivered, crowd) => {
      // The same message twice is two messages to its holder.
      const dispatch = { ...delivered };
      this.inHand.add(dispatch);
      const verdict = await handler(dispatch, crowd);
      this.inHand.delete(dispatch);
      return verdict;
    };
  }

  get obstacle(): TransportUnavailable | null {
    if (!this.broker.isAway) return null;
    this.process.world.see('publishing known to be in vain');
    return new TransportUnavailable('the broker is away');
  }

  depth(module: string): Promise<QueueDepth> {
    return Promise.resolve(this.broker.depth(module));
  }

  receivers(): Promise<number | null> {
    return Promise.resolve(null);
  }

  troubles(): ReturnType<StepTransport['troubles']> {
    return [];
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private send(dispatch: Dispatch): void {
    const { world } = this.process;
    const { random } = world;
    if (world.strikes('publishLost')) {
      world.see('message lost');
      return;
    }
    const copies = world.strikes('publishTwice') ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const isLate = world.strikes('messageDelayed');
      const ms = isLate ? random.between(100, 8_000) : random.between(1, 8);
      world.line.after(ms, () => this.broker.arrive(dispatch));
    }
  }
}

function withoutGeneration(dispatch: Dispatch): Dispatch {
  return { ...dispatch, message: { ...dispatch.message, run: dispatch.message.step } };
}
