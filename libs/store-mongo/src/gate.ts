import type { Clock, Timer } from '#ports';
import { OperationTimeout, within } from './deadline.js';
import { isAnswer, isOwnFault } from './failure.js';

/**
 * More at a time than the store ever sends: with this number answered, there is no limit any more.
 */
const MANY = 16;

interface Waiting {
  readonly go: () => void;
  readonly timer: Timer;
}

/**
 * Lets calls pass to a server that answers. Where nothing was answered while a call waited in vain,
 * one call at a time passes and the others wait; where others were answered, half as many. Each
 * answer lets one more pass, which doubles them with every round trip, until there is no limit. A
 * server that stands still, or starts with cold caches, has to work off all that was sent to it,
 * and keeps every socket that was given up meanwhile.
 */
export class Gate {
  private limit = Infinity;
  private underWay = 0;
  /** By the monotonic clock. */
  private answeredAt = -Infinity;
  private narrowedAt = -Infinity;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly clock: Clock) {}

  /** Whether there is no limit: every call is answered, as far as is known. */
  get isWide(): boolean {
    return this.limit === Infinity;
  }

  /**
   * The operation's result. Rejects as the operation does, and with `OperationTimeout` where that
   * takes longer than `ms`, waiting included.
   */
  async pass<T>(operation: () => Promise<T>, ms: number): Promise<T> {
    const { clock } = this;
    const from = clock.monotonic();
    if (this.underWay < this.limit) this.underWay += 1;
    else await this.wait(ms);
    const sentAt = clock.monotonic();
    try {
      const leftMs = ms - (sentAt - from);
      return await within(() => operation().then(this.answer), { clock, ms: leftMs });
    } catch (error) {
      if (isAnswer(error)) this.answered();
      else if (!isOwnFault(error)) this.narrow(sentAt);
      throw error;
    } finally {
      this.underWay -= 1;
      if (this.limit !== Infinity) this.letGo();
    }
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(ms, () => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(new OperationTimeout(`no call was answered for ${Math.round(ms)} ms, so not sent`));
      });
      const entry: Waiting = { go: resolve, timer };
      this.waiting.push(entry);
    });
  }

  /** An answer is an answer, also to a call that was given up. */
  private readonly answer = <T>(result: T): T => {
    this.answered();
    return result;
  };

  private answered(): void {
    this.answeredAt = this.clock.monotonic();
    if (this.limit === Infinity) return;
    this.limit = this.limit < MANY ? this.limit + 1 : Infinity;
    this.letGo();
  }

  /** The failure of a call sent before the limit fell says nothing against the lower one. */
  private narrow(sentAt: number): void {
    if (sentAt < this.narrowedAt) return;
    const isAlive = this.answeredAt > sentAt;
    this.limit = isAlive ? Math.max(1, Math.floor(Math.min(this.limit, MANY) / 2)) : 1;
    this.narrowedAt = this.clock.monotonic();
  }

  /** The one that came last has the most time left for an answer. */
  private letGo(): void {
    while (this.underWay < this.limit) {
      const next = this.waiting.pop();
      if (next === undefined) return;
      next.timer.cancel();
      this.underWay += 1;
      next.go();
    }
  }
}
