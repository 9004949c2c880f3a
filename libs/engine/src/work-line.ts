import type { Dispatch } from '#core';
import type { Clock } from '#ports';
import { dropFrom, setIn } from './keyed-sets.js';
import type { ParkedPoll } from './parked-poll.js';

/** A message in hand that no poll has asked for so far. */
interface KeptMessage {
  readonly dispatch: Dispatch;
  /** Null: its time here is over. */
  give(poll: ParkedPoll | null): void;
}

/** Polls that wait, and messages that wait for polls, in the memory of one process. */
export class WorkLine {
  /** Every poll that is not answered. */
  private readonly whole = new Set<ParkedPoll>();
  /** Those with free places by module, the one that has waited longest first. */
  private readonly polls = new Map<string, Set<ParkedPoll>>();
  /** Polls of each module that are not answered. */
  private readonly asked = new Map<string, number>();
  private readonly kept = new Map<string, Set<KeptMessage>>();

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /** Polls that wait. */
  get size(): number {
    return this.whole.size;
  }

  add(poll: ParkedPoll): void {
    this.whole.add(poll);
    for (const module of poll.order.modules) {
      this.asked.set(module, (this.asked.get(module) ?? 0) + 1);
      setIn(this.polls, module).add(poll);
    }
  }

  remove(poll: ParkedPoll): void {
    if (!this.whole.delete(poll)) return;
    for (const module of poll.order.modules) {
      const left = (this.asked.get(module) ?? 1) - 1;
      if (left === 0) this.asked.delete(module);
      else this.asked.set(module, left);
    }
    this.pass(poll);
  }

  /** A place of a poll is free again. */
  freed(poll: ParkedPoll): void {
    if (poll.free <= 0 || !this.whole.has(poll)) return;
    for (const module of poll.order.modules) setIn(this.polls, module).add(poll);
  }

  /** Whether a poll asks for a module. */
  isAskedFor(module: string): boolean {
    return this.asked.has(module);
  }

  /** The poll of a module that has waited longest and has a free place; null: none has. */
  longest(module: string): ParkedPoll | null {
    for (const poll of this.polls.get(module) ?? []) if (poll.free > 0) return poll;
    return null;
  }

  /** Places for items of a module, at least up to a number. */
  freeOf(module: string, upTo = Infinity): number {
    let free = 0;
    for (const poll of this.polls.get(module) ?? []) {
      free += poll.free;
      if (free >= upTo) break;
    }
    return free;
  }

  /** Takes a place for a message in the poll that has waited longest; null: none asks for it. */
  take(dispatch: Dispatch): ParkedPoll | null {
    for (const poll of this.polls.get(dispatch.message.module) ?? []) {
      if (poll.free <= 0 || !poll.fits(dispatch.message)) continue;
      this.takeIn(poll);
      return poll;
    }
    return null;
  }

  /** Keeps a message until a poll asks for it, for so long; null: none did. */
  keep(dispatch: Dispatch, ms: number): Promise<ParkedPoll | null> {
    const { module } = dispatch.message;
    return new Promise((resolve) => {
      const give = (poll: ParkedPoll | null): void => {
        timer.cancel();
        dropFrom(this.kept, module, message);
        resolve(poll);
      };
      const timer = this.clock.after(ms, () => give(null));
      const message: KeptMessage = { dispatch, give };
      setIn(this.kept, module).add(message);
    });
  }

  /** Order time of the first message in hand that a poll asks for; infinite: there is none. */
  nextAt(poll: ParkedPoll): number {
    return this.first(poll)?.dispatch.orderAt ?? Infinity;
  }

  /** Gives a poll the first message in hand that it asks for. */
  giveFirst(poll: ParkedPoll): void {
    const message = this.first(poll);
    if (message === null) return;
    this.takeIn(poll);
    message.give(poll);
  }

  /** Gives up every message of a module that is in hand. */
  letGo(module: string): void {
    for (const message of [...(this.kept.get(module) ?? [])]) message.give(null);
  }

  /** Every poll that waits. */
  all(): readonly ParkedPoll[] {
    return [...this.whole];
  }

  private takeIn(poll: ParkedPoll): void {
    poll.take();
    if (poll.free === 0) this.pass(poll);
  }

  /** Nothing more is for this poll. */
  private pass(poll: ParkedPoll): void {
    for (const module of poll.order.modules) dropFrom(this.polls, module, poll);
  }

  private first(poll: ParkedPoll): KeptMessage | null {
    let first: KeptMessage | null = null;
    for (const module of poll.order.modules) {
      for (const message of this.kept.get(module) ?? []) {
        const { orderAt } = message.dispatch;
        if (orderAt >= (first?.dispatch.orderAt ?? Infinity)) continue;
        if (poll.fits(message.dispatch.message)) first = message;
      }
    }
    return first;
  }
}
