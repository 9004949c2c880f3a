import type { Dispatch } from '#core';
import {
  type AbortSignalLike,
  type DeliveryVerdict,
  StoreUnavailable,
  TaskUnreadable,
} from '#ports';
import type { ExecutorDirectory } from './executor-directory.js';
import { HeldClaims } from './held-claims.js';
import { KEPT_MS, ModuleFeed } from './module-feed.js';
import { ParkedPoll } from './parked-poll.js';
import type { EngineParts } from './parts.js';
import type { Pieces } from './pieces.js';
import type {
  AttemptWords,
  Heartbeat,
  HeartbeatAnswer,
  NextPoll,
  OutputRules,
  PollAnswer,
  PollOrder,
  ReportAnswer,
  WorkClaim,
  WorkDesk,
  WorkerRegistration,
  WorkerTerms,
  WorkItem,
  WorkOutcome,
} from './work-desk.js';
import { WorkLine } from './work-line.js';
import { REPEATABLE_MS, WorkerClaims } from './worker-claims.js';
import { WorkerRoster } from './worker-roster.js';

/** How often a worker is to renew its claims, in milliseconds: a third of the default lease. */
const HEARTBEAT_MS = 10_000;

/** How long a poll without a wait gives a broker to send what is ready, in milliseconds. */
const READY_MS = 25;

/** How often a poll looks whether the store answers again, in milliseconds. */
const AWAY_RETRY_MS = 1_000;

/** Why claims of a worker are handed back that has said good-bye. */
const STOPPED = 'the worker has stopped';

/** Facts that a desk works with besides the engine. */
interface DeskOptions {
  readonly directory: Pick<ExecutorDirectory, 'hasElsewhere'>;
  /** Of Backstep. */
  readonly version: string;
  /** No other process serves workers from this store. */
  readonly isOnly: boolean;
}

/** The desk of one gateway. All that it promises stands in the tasks' documents. */
export class Desk implements WorkDesk {
  readonly claims: HeldClaims;
  readonly roster: WorkerRoster;
  private readonly line: WorkLine;
  private readonly feeds = new Map<string, ModuleFeed>();
  /** The last poll of each worker for the same modules. */
  private readonly latest = new Map<string, ParkedPoll>();
  private readonly writes: WorkerClaims;
  private readonly madeAt: number;
  private isClosed = false;
  /** Polls that wait for the store to answer again. */
  private heldOn = 0;

  constructor(
    private readonly parts: EngineParts,
    private readonly pieces: Pick<Pieces, 'mover' | 'state' | 'taker'>,
    private readonly options: DeskOptions,
  ) {
    const { clock, records, registry } = parts;
    const { version } = options;
    this.madeAt = clock.monotonic();
    this.line = new WorkLine(clock);
    this.writes = new WorkerClaims(parts, pieces);
    this.claims = new HeldClaims(clock, this.writes);
    const busyOf = (worker: string): number => this.claims.countOf(worker);
    this.roster = new WorkerRoster({ clock, records, registry, version, busyOf });
  }

  get parked(): number {
    return this.line.size + this.heldOn;
  }

  async register(registration: WorkerRegistration): Promise<WorkerTerms> {
    await this.roster.register(registration);
    return { heartbeatMs: HEARTBEAT_MS };
  }

  async goodBye(worker: string, keyMark?: string): Promise<void> {
    await this.roster.ownRecords(worker, { keyMark });
    this.endPollsOf(worker);
    await this.writes.handBackAll(worker, STOPPED);
    this.claims.forget(worker);
    await this.roster.withdraw(worker);
  }

  async drain(worker: string, isDraining: boolean): Promise<boolean> {
    const isKnown = await this.roster.drain(worker, isDraining);
    if (isDraining) this.endPollsOf(worker);
    return isKnown;
  }

  async poll(order: PollOrder, closed: AbortSignalLike): Promise<PollAnswer> {
    const until = this.parts.clock.monotonic() + order.waitMs;
    for (let left = order.waitMs; ;) {
      try {
        return await this.pollOnce({ ...order, waitMs: left }, closed);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || order.waitMs === 0) throw error;
      }
      left = until - this.parts.clock.monotonic();
      if (left > 0) await this.holdOn(Math.min(left, AWAY_RETRY_MS), closed);
      left = until - this.parts.clock.monotonic();
      if (left <= 0 || closed.aborted || this.isClosed) return { items: [], isDraining: false };
    }
  }

  async handBack(claims: readonly WorkClaim[]): Promise<void> {
    const message = 'the answer could not be written';
    const given = claims.map(async (claim) => {
      this.claims.drop(claim);
      await this.writes.handBack(claim, message);
    });
    // Where the store is away, their leases end by themselves.
    await Promise.allSettled(given);
  }

  heartbeat(beats: readonly Heartbeat[]): Promise<readonly HeartbeatAnswer[]> {
    for (const worker of new Set(beats.map(({ claim }) => claim.worker))) this.roster.heard(worker);
    return Promise.all(beats.map(({ claim }) => this.claims.renew(claim)));
  }

  say(claim: WorkClaim, words: AttemptWords): Promise<boolean> {
    // Where the store or that of a secret is away, the lines are lost, and the attempt goes on.
    return this.claims.say(claim, words).catch(() => true);
  }

  async outputRules(claim: WorkClaim): Promise<OutputRules | null> {
    const { command, direction, module, worker } = claim;
    // Nothing reads the output of an undo: it is no reason to call a person.
    if (direction === 'rollback') return null;
    const schema = await this.roster.outputOf(worker, module, command);
    if (schema === null) return null;
    return { schema, secrets: await this.roster.secretsOf(worker, module, command) };
  }

  async report(claim: WorkClaim, outcome: WorkOutcome, next?: NextPoll): Promise<ReportAnswer> {
    const { command, module, worker } = claim;
    this.roster.heard(worker);
    const hasOutput = outcome.kind === 'complete' && outcome.output !== null;
    const names = hasOutput ? await this.roster.secretsOf(worker, module, command) : [];
    const answer = await this.claims.settle(claim, { outcome, names });
    if (answer.kind !== 'taken' || next === undefined) return answer;
    return { ...answer, items: await this.nextItems(claim, next, answer.isReplayed) };
  }

  modulesOf(worker: string): Promise<readonly string[]> {
    return this.roster.modulesOf(worker);
  }

  /** Announces the workers that were heard of. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    const here = new Set(this.line.all().map(({ order }) => order.worker));
    this.claims.forgetEnded();
    await this.roster.tick((worker) => here.has(worker));
    for (const worker of here) if (this.roster.isDraining(worker)) this.endPollsOf(worker);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const poll of this.line.all()) poll.end();
    for (const module of this.feeds.keys()) this.line.letGo(module);
    await Promise.all([...this.feeds.values()].map((feed) => feed.end()));
  }

  /** Without the store nothing can be claimed: the poll waits all the same. */
  private async holdOn(ms: number, closed: AbortSignalLike): Promise<void> {
    this.heldOn += 1;
    await this.parts.clock.sleep(ms, closed);
    this.heldOn -= 1;
  }

  private async pollOnce(order: PollOrder, closed: AbortSignalLike): Promise<PollAnswer> {
    const isDraining = await this.roster.polled(order);
    const build = order.build ?? this.roster.buildOf(order.worker);
    const built = build === undefined ? order : { ...order, build };
    const items = isDraining ? [] : await this.itemsFor(built, closed, order.pollId !== undefined);
    this.roster.heard(order.worker);
    return { items, isDraining: this.roster.isDraining(order.worker) };
  }

  /** Further items for a worker whose outcome was taken; the same ones for a repetition. */
  private async nextItems(
    claim: WorkClaim,
    { max }: NextPoll,
    isReplayed: boolean,
  ): Promise<readonly WorkItem[]> {
    const { module, taskId, token, worker } = claim;
    const last = this.roster.orderOf(worker);
    const leaseMs = last?.leaseMs ?? 3 * HEARTBEAT_MS;
    const order: PollOrder = {
      ...(last ?? { worker, modules: [module], leaseMs }),
      ...{ max, waitMs: 0, pollId: `${taskId}:${token}` },
    };
    if (this.roster.isDraining(worker)) return [];
    return this.itemsFor(order, NEVER_CLOSED, isReplayed);
  }

  /**
   * The items of a poll that was answered before. Another gateway may have, unless this one is
   * alone on its store for long enough.
   */
  private async again({ max, pollId = '', worker }: PollOrder): Promise<readonly WorkItem[]> {
    const isAlone =
      this.options.isOnly && this.parts.clock.monotonic() - this.madeAt > REPEATABLE_MS;
    if (isAlone && !this.claims.isFrom(worker, pollId)) return [];
    return this.writes.again(worker, pollId, max);
  }

  private async itemsFor(
    order: PollOrder,
    closed: AbortSignalLike,
    mayRepeat: boolean,
  ): Promise<readonly WorkItem[]> {
    const { modules, worker } = order;
    const key = JSON.stringify([worker, [...modules].sort()]);
    this.latest.get(key)?.end();
    const again = mayRepeat ? await this.again(order) : [];
    if (again.length > 0) return again;
    if (this.isClosed || closed.aborted) return [];
    return this.wait({ ...order, modules: [...new Set(modules)] }, { key, closed });
  }

  /** Parks a poll until it has an item or its wait is over. */
  private wait(
    order: PollOrder,
    { closed, key }: { readonly closed: AbortSignalLike; readonly key: string },
  ): Promise<readonly WorkItem[]> {
    return new Promise((resolve) => {
      const poll = new ParkedPoll(order, (items) => {
        timer.cancel();
        closed.removeEventListener('abort', leave);
        if (this.latest.get(key) === poll) this.latest.delete(key);
        this.unpark(poll);
        resolve(items ?? []);
      });
      const leave = (): void => void this.handBack(poll.close().map(({ claim }) => claim));
      closed.addEventListener('abort', leave);
      this.latest.set(key, poll);
      const isReady = this.park(poll);
      const waitMs = order.waitMs > 0 ? order.waitMs : isReady ? READY_MS : 0;
      const timer = this.parts.clock.after(waitMs, () => poll.end());
    });
  }

  /** Has messages come for a poll. False: certainly none is ready. */
  private park(poll: ParkedPoll): boolean {
    const { commands, directions, modules } = poll.order;
    this.line.add(poll);
    const feeds = modules.map((module) => this.feedOf(module));
    const isPicky = commands !== undefined || directions !== undefined;
    for (const feed of feeds) feed.isHalted = true;
    for (const feed of feeds) feed.open(isPicky);
    for (const feed of feeds) feed.isHalted = false;
    this.fill(poll);
    if (poll.free < poll.order.max) return true;
    return feeds.some(({ nextAt }) => nextAt === null || nextAt < Infinity);
  }

  private unpark(poll: ParkedPoll): void {
    this.line.remove(poll);
    for (const module of poll.order.modules) {
      if (!this.line.isAskedFor(module)) this.feeds.get(module)?.close();
    }
  }

  /**
   * Gives a poll what comes next over all of its modules. A message that waits in a line of the
   * transport comes by the handler, which goes on from there.
   */
  private fill(poll: ParkedPoll): void {
    while (poll.free > 0) {
      const feeds = poll.order.modules.map((module) => this.feedOf(module));
      const next = feeds.reduce((first, feed) => {
        return (feed.nextAt ?? Infinity) < (first.nextAt ?? Infinity) ? feed : first;
      });
      const nextAt = next.nextAt ?? Infinity;
      const keptAt = this.line.nextAt(poll);
      if (keptAt === Infinity || nextAt < keptAt) {
        if (nextAt < Infinity) next.serve();
        return;
      }
      this.line.giveFirst(poll);
    }
  }

  private feedOf(module: string): ModuleFeed {
    const known = this.feeds.get(module);
    if (known !== undefined) return known;
    const feed = new ModuleFeed(module, {
      clock: this.parts.clock,
      transport: this.parts.transport,
      handler: this.pieces.state.line.hearing((dispatch) => this.deliver(dispatch)),
      freeOf: (name, upTo) => this.line.freeOf(name, upTo),
      ended: (name) => {
        if (this.feeds.get(name) === feed) this.feeds.delete(name);
        this.line.letGo(name);
      },
      failed: (name, error) => this.notice(`messages of ${name} do not come to workers`, error),
    });
    this.feeds.set(module, feed);
    return feed;
  }

  /** Handles one message: gives it to a poll, or keeps it for a while. */
  private async deliver(dispatch: Dispatch): Promise<DeliveryVerdict> {
    const { module } = dispatch.message;
    const poll = this.line.take(dispatch);
    const longest = this.line.longest(module);
    if (longest !== null) this.fill(longest);
    if (poll !== null) return this.serve(poll, dispatch);
    if (this.isClosed) return 'later';
    const later = await this.line.keep(dispatch, KEPT_MS);
    return later === null ? this.passOn(dispatch) : this.serve(later, dispatch);
  }

  private async serve(poll: ParkedPoll, dispatch: Dispatch): Promise<DeliveryVerdict> {
    const { module } = dispatch.message;
    const { observer } = this.parts;
    let item: WorkItem | null = null;
    let verdict: DeliveryVerdict = 'ack';
    try {
      const taken = await this.pieces.state.line.claimFirst(dispatch, {
        fits: (action) => poll.fits(action),
        claim: (first) => this.writes.claim(first, poll.order),
        isGone: ({ kind }) => kind === 'stale',
      });
      if (taken.kind === 'claimed') {
        ({ item } = taken);
        this.claims.add(item, taken.task);
      }
      const outcome = taken.kind === 'waiting' ? 'later' : taken.kind;
      observer.delivered?.({ module, outcome, waitedMs: null });
      if (taken.kind === 'later') verdict = 'later';
    } catch (error) {
      if (!(error instanceof TaskUnreadable)) verdict = 'later';
      if (!(error instanceof StoreUnavailable)) this.notice('a claim for a worker failed', error);
    }
    if (!poll.settle(item) && item !== null) await this.handBack([item.claim]);
    this.line.freed(poll);
    return verdict;
  }

  /**
   * Nobody here asked for it in time. It goes to the queue anew, as brokers count how often they
   * give a message back; one that nobody could take is left to governance.
   */
  private async passOn(dispatch: Dispatch): Promise<DeliveryVerdict> {
    const { command, module } = dispatch.message;
    const { transport } = this.parts;
    if (this.isClosed || transport.obstacle !== null) return 'later';
    if (!(await this.options.directory.hasElsewhere(module, command))) return 'ack';
    const isSent = await transport.publish([dispatch]).then(
      () => true,
      () => false,
    );
    return isSent ? 'ack' : 'later';
  }

  private endPollsOf(worker: string): void {
    for (const poll of this.line.all()) if (poll.order.worker === worker) poll.end();
  }

  private notice(message: string, error: unknown): void {
    this.parts.observer.noticed({ level: 'warn', name: 'work_desk', message, error });
  }
}

/** Of a poll whose answer goes out with another one. */
const NEVER_CLOSED: AbortSignalLike = {
  aborted: false,
  reason: undefined,
  addEventListener: () => {},
  removeEventListener: () => {},
};
