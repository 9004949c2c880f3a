import { growingDelay } from '#core';
import { createAbort } from '#machine';
import {
  type AbortSignalLike,
  type Clock,
  type OperationProgress,
  type OperationRecord,
  type Operations,
  StoreUnavailable,
} from '#ports';
import type { OperationActs } from './operation-acts.js';
import { type Acted, ended, isThrough, type OperationChange, paged } from './operation-change.js';
import type { OperationTasks } from './operation-tasks.js';

/** Tasks that are acted on at a time. */
const AT_ONCE = 32;

/** First wait after a server did not answer, in milliseconds; then doubled, up to the last one. */
const GROWTH = { firstMs: 100, maxMs: 3_000 };

/** Dependencies of the run of an operation. */
interface RunParts {
  readonly operations: Pick<Operations, 'get' | 'put'>;
  readonly clock: Clock;
  readonly acts: Pick<OperationActs, 'act'>;
  readonly tasks: Pick<OperationTasks, 'next'>;
  /** Name of this process, new with each start. */
  readonly runner: string;
  /** Length of the lease, in milliseconds. */
  readonly leaseMs: number;
  /** Whether the key that it was asked for with was revoked. Throws `StoreUnavailable`. */
  readonly isRevoked: (record: OperationRecord) => Promise<boolean>;
  /** Called before the end is stored, so at least once. */
  readonly tellEnd: (record: OperationRecord) => Promise<void>;
}

/** How often it is asked whether the key is still there, in milliseconds. */
const KEY_EVERY_MS = 2_000;

/** Waits that are shorter are not worth a timer, in milliseconds. */
const SHORT_MS = 5;

/** Another process has the lease, or this one stops. */
class Over extends Error {
  override readonly name = 'Over';
}

/**
 * Carries out one operation, page by page. The process that has the lease writes its name into the
 * record. Every write requires that nobody wrote since, and so ends a run that lost the lease
 * unnoticed. It and the next runner act by the same keys, so each task is acted on once.
 */
export class OperationRun {
  private readonly pace: Pace;
  /** Ends the waits that only a stop of this process ends early. */
  private readonly stopping = createAbort();
  /** Ends the wait for the next task's turn. */
  private readonly halting = createAbort();
  private isStopping = false;
  private isCalledOff = false;
  private keySeenAt = -Infinity;

  /** `record`: as stored, with this process as its runner. */
  constructor(
    private record: OperationRecord,
    private readonly parts: RunParts,
  ) {
    this.pace = new Pace(parts.clock, record.order.ratePerSecond);
  }

  /**
   * Resolves when it has ended, or when this process no longer has the lease. Rejects only with a
   * fault of our own.
   */
  async run(): Promise<void> {
    try {
      while (!isThrough(this.record)) await this.turnPage();
      await this.persist(() => this.parts.tellEnd(this.record));
      await this.save((record) => ended(record, this.parts.clock.now()));
    } catch (error) {
      if (!(error instanceof Over)) throw error;
    }
  }

  /** Leaves it to others, after what is in hand. */
  stop(): void {
    this.isStopping = true;
    this.stopping.abort(new Over('the process stops'));
    this.halting.abort(new Over('the process stops'));
  }

  /** A person called it off in this process: nothing more is begun. */
  callOff(): void {
    this.isCalledOff = true;
    this.halting.abort(new Over('called off'));
  }

  /** Acts on the page in hand, finds the next one, and stores both at once. */
  private async turnPage(): Promise<void> {
    await this.heedKey();
    const acted = await this.actOn(this.record.progress.page);
    if (this.isStopping) return this.leave();
    const rest = await this.findNext();
    await this.save((record) => paged(record, acted, rest));
  }

  private async findNext(): Promise<OperationProgress> {
    if (this.isOff || this.record.progress.isLast) return NOTHING;
    return this.persist(() => this.parts.tasks.next(this.record));
  }

  private async actOn(page: readonly string[]): Promise<readonly Acted[]> {
    const acted: Acted[] = [];
    let open = page;
    for (let nth = 0; open.length > 0 && !this.isStopping && !this.isOff; nth += 1) {
      if (nth > 0) await this.backOff(nth);
      const results = await this.pass(open);
      acted.push(...[...results.values()].filter((one) => one !== 'again'));
      open = open.filter((taskId) => (results.get(taskId) ?? 'again') === 'again');
    }
    return acted;
  }

  /** One attempt at each task; those that it did not come to are not in the result. */
  private async pass(page: readonly string[]): Promise<ReadonlyMap<string, Acted | 'again'>> {
    const results = new Map<string, Acted | 'again'>();
    const inHand = new Set<Promise<void>>();
    for (const taskId of page) {
      if (!(await this.mayBegin())) break;
      if (inHand.size >= AT_ONCE) await Promise.race(inHand);
      const acting = this.actOnOne(taskId, results).finally(() => inHand.delete(acting));
      inHand.add(acting);
    }
    await Promise.all(inHand);
    return results;
  }

  private async actOnOne(taskId: string, results: Map<string, Acted | 'again'>): Promise<void> {
    results.set(taskId, await this.parts.acts.act(this.record, taskId));
  }

  /** Waits for the next task's turn. False: nothing more is begun. */
  private async mayBegin(): Promise<boolean> {
    let isTurn = false;
    while (!isTurn && !this.isStopping && !this.isOff) {
      isTurn = await this.pace.turn(this.parts.leaseMs / 3, this.halting.signal);
      await this.keepSay();
      await this.heedKey();
    }
    return isTurn && !this.isStopping && !this.isOff;
  }

  /** Renews the lease in time. */
  private async keepSay(): Promise<void> {
    const { clock, leaseMs } = this.parts;
    const leftMs = (this.record.dueAt ?? 0) - clock.now();
    if (leftMs < (leaseMs * 2) / 3) await this.save(() => ({}));
  }

  /** Whoever takes back a key wants nothing more to be done with it. */
  private async heedKey(): Promise<void> {
    const { clock, isRevoked } = this.parts;
    if (this.isOff || clock.monotonic() - this.keySeenAt < KEY_EVERY_MS) return;
    this.keySeenAt = clock.monotonic();
    if (!(await this.persist(() => isRevoked(this.record)))) return;
    await this.save((record) => (record.cancel === null ? withoutKey(clock.now()) : {}));
  }

  /** Frees the lease, so that the next runner need not wait for its end. */
  private async leave(): Promise<never> {
    const { clock, operations } = this.parts;
    const next = this.nextOf({ dueAt: clock.now() });
    await operations.put(next, this.record).catch(() => false);
    throw new Over('the process stops');
  }

  /**
   * Stores a change. Throws `Over` where another process has the lease; if the operation was only
   * called off, the change is made to the newer record.
   */
  private save(change: (record: OperationRecord) => OperationChange): Promise<void> {
    const { clock, leaseMs, operations, runner } = this.parts;
    let next: OperationRecord | null = null;
    return this.persist(async () => {
      for (;;) {
        next ??= this.nextOf({ dueAt: clock.now() + leaseMs, ...change(this.record) });
        if (await operations.put(next, this.record)) {
          this.record = next;
          return;
        }
        const stored = await operations.get(next.operationId);
        // An answer that was lost: the write before had taken effect.
        const isOurs = JSON.stringify(stored) === JSON.stringify(next);
        if (stored === null || stored.runner !== runner) throw new Over('taken over');
        this.record = stored;
        if (isOurs) return;
        next = null;
      }
    });
  }

  private nextOf(change: OperationChange): OperationRecord {
    const { record } = this;
    return { ...record, ...change, revision: record.revision + 1, runner: this.parts.runner };
  }

  /** However long the store takes to come back; throws `Over` when this process stops. */
  private async persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (let nth = 1; ; nth += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      await this.backOff(nth);
      if (this.isStopping) throw new Over('the process stops');
    }
  }

  private async backOff(nth: number): Promise<void> {
    await this.parts.clock.sleep(growingDelay(GROWTH, nth), this.stopping.signal);
  }

  private get isOff(): boolean {
    return this.isCalledOff || this.record.cancel !== null;
  }
}

function withoutKey(at: number): OperationChange {
  const reason = 'the key that it was asked for with was revoked';
  return { status: 'cancelling', cancel: { actor: 'backstep', reason, at } };
}

const NOTHING: OperationProgress = { page: [], cursor: null, isLast: true };

/** Lets this many begin in a second, evenly; what was missed is not made up for. */
class Pace {
  private readonly gapMs: number;
  private nextAt: number;

  /** `ratePerSecond` null: nobody waits. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic' | 'sleep'>,
    ratePerSecond: number | null,
  ) {
    this.gapMs = ratePerSecond === null ? 0 : 1_000 / ratePerSecond;
    this.nextAt = clock.monotonic();
  }

  /**
   * Resolves when the next one may begin, or after `mostMs`, or when the signal aborts. False: not
   * yet.
   */
  async turn(mostMs: number, signal: AbortSignalLike): Promise<boolean> {
    const waitMs = this.nextAt - this.clock.monotonic();
    if (waitMs > SHORT_MS) await this.clock.sleep(Math.min(waitMs, mostMs), signal);
    if (waitMs > mostMs || signal.aborted) return false;
    this.nextAt = Math.max(this.nextAt, this.clock.monotonic() - this.gapMs) + this.gapMs;
    return true;
  }
}
