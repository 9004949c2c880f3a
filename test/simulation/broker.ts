import type { Dispatch } from '#core';
import type { Crowd, DeliveryHandler, DeliveryVerdict } from '#ports';
import type { SimProcess } from './sim-process.js';
import type { World } from './world.js';

/** A process's subscription to one module's queue. */
export interface Subscription {
  readonly process: SimProcess;
  readonly module: string;
  readonly concurrency: number;
  readonly handler: DeliveryHandler;
  readonly inHand: Set<Dispatch>;
  isOpen: boolean;
  onEmpty: (() => void) | null;
}

/** The broker that all processes share. */
export class Broker {
  /** A queue's length is told wrong until then: full. */
  crowdedUntil = 0;
  /** Nobody can publish until then, and everybody who asks knows it. */
  awayUntil = 0;
  private readonly queues = new Map<string, Dispatch[]>();
  private readonly subscriptions: Subscription[] = [];

  constructor(private readonly world: World) {}

  /** A message is in its queue from now on, somewhere. */
  arrive(dispatch: Dispatch): void {
    const queue = this.queue(dispatch.message.module);
    const { random } = this.world;
    if (this.world.strikes('messageDelayed')) {
      queue.splice(random.between(0, queue.length), 0, dispatch);
    } else {
      queue.push(dispatch);
    }
    this.deliver(dispatch.message.module);
  }

  /** Whether there are messages in a process's hands, or anywhere at all. */
  isHolding(where: 'hands' | 'anything'): boolean {
    const isInHand = this.subscriptions.some(({ inHand }) => inHand.size > 0);
    if (isInHand || where === 'hands') return isInHand;
    return [...this.queues.values()].some(({ length }) => length > 0);
  }

  depth(module: string): number {
    return this.world.now < this.crowdedUntil ? 1_000 : this.queue(module).length;
  }

  get isAway(): boolean {
    return this.world.now < this.awayUntil;
  }

  subscribe(subscription: Subscription): void {
    this.subscriptions.push(subscription);
    subscription.process.onDeath.push(() => this.drop(subscription));
    this.deliver(subscription.module);
  }

  /** Takes no more of the queue. */
  unsubscribe(subscription: Subscription): void {
    subscription.isOpen = false;
    if (subscription.inHand.size === 0) subscription.onEmpty?.();
  }

  /** Everything is lost. */
  wipe(): void {
    this.world.tell('broker wiped');
    this.world.see('broker wiped');
    this.queues.clear();
    for (const { inHand } of this.subscriptions) inHand.clear();
  }

  /**
   * A connection broke: what was in hand there is given to another process, though it is worked on.
   */
  resend(): void {
    const busy = this.subscriptions.filter(({ inHand }) => inHand.size > 0);
    if (busy.length === 0) return;
    const { inHand } = this.world.random.pick(busy);
    this.world.see('redelivered');
    for (const dispatch of inHand) this.world.line.after(20, () => this.arrive(dispatch));
  }

  private drop(subscription: Subscription): void {
    subscription.isOpen = false;
    const index = this.subscriptions.indexOf(subscription);
    if (index >= 0) this.subscriptions.splice(index, 1);
    if (this.world.scenario.isStandalone) return;
    for (const dispatch of subscription.inHand) {
      this.world.line.after(this.world.random.between(1, 500), () => this.arrive(dispatch));
    }
  }

  private queue(module: string): Dispatch[] {
    const found = this.queues.get(module);
    if (found !== undefined) return found;
    const queue: Dispatch[] = [];
    this.queues.set(module, queue);
    return queue;
  }

  private deliver(module: string): void {
    const queue = this.queue(module);
    while (queue.length > 0) {
      const free = this.subscriptions.filter(
        (s) => s.module === module && s.isOpen && s.inHand.size < s.concurrency,
      );
      if (free.length === 0) return;
      const dispatch = queue.shift() as Dispatch;
      this.hand(dispatch, this.world.random.pick(free));
    }
  }

  private hand(dispatch: Dispatch, to: Subscription): void {
    const { mutant, random } = this.world;
    // The same message twice is two messages to its holder.
    const held = { ...dispatch };
    to.inHand.add(held);
    const crowd = this.crowdOf(dispatch);
    if (mutant?.acksEarly === true) this.settle(held, to, 'ack');
    to.process.later(random.between(1, 8), () => {
      to.process.reach('delivery');
      void to.handler(dispatch, crowd).then((verdict) => this.answered(held, to, verdict));
    });
  }

  /** The neighbours of a message that goes to a process; only a plain one may find no place. */
  private crowdOf({ message, priority }: Dispatch): Crowd | undefined {
    const isPlain = priority === 0;
    const isMixed = this.queue(message.module).some((other) => other.priority !== 0);
    const crowd = isPlain && this.world.strikes('noPlace') ? 'no_place' : isMixed && 'mixed';
    if (crowd === false) return undefined;
    this.world.see(crowd === 'mixed' ? 'message beside urgent ones' : 'message without a place');
    return crowd;
  }

  /** The answer may be lost on its way, or with its process. */
  private answered(held: Dispatch, to: Subscription, verdict: DeliveryVerdict): void {
    to.process.reach('answer');
    const isLost = this.world.strikes('ackLost');
    const { command, module } = held.message;
    const isLacking = to.process.lacks.has(`${module} ${command}`);
    if (isLacking && verdict === 'later') this.world.see('left to another build');
    to.process.mayCrash();
    if (!to.process.alive) return;
    this.world.line.after(2, () => this.settle(held, to, isLost ? 'later' : verdict));
  }

  private settle(held: Dispatch, to: Subscription, verdict: DeliveryVerdict): void {
    if (!to.inHand.delete(held)) return;
    if (verdict === 'later') {
      this.world.line.after(this.world.random.between(100, 1_000), () => this.arrive(held));
    }
    if (!to.isOpen && to.inHand.size === 0) to.onEmpty?.();
    this.deliver(to.module);
  }
}
