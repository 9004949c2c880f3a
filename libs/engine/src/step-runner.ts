import {
  type ActionRef,
  actionOf,
  type Claimed,
  conclude,
  type Decision,
  type Moved,
  propose,
  type Proposal,
  type Proposed,
  runOf,
  type Task,
  type TaskEvent,
  transition,
  growingDelay,
} from '#core';
import { type CommandHandler, TaskUnreadable } from '#ports';
import { type Claim, claimedRun, freshClaim, toMonotonic } from './claim.js';
import { Claims, isWanted } from './claims.js';
import { noticeBroken, noticeLate, noticeWaiting } from './outcome-notices.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { Reservation } from './reservation.js';
import { Sender } from './sender.js';
import { SecretFetcher } from './secret-fetcher.js';
import { SecretKeeper } from './secret-keeper.js';
import { Session } from './session.js';
import { Slots } from './slots.js';
import { callOffText, StepContext, type StepTerms } from './step-context.js';
import { attempt, eventOf, unknownCommand } from './step-outcome.js';
import { StrayClaims } from './stray-claims.js';
import { TaskWriter, type WriteResult } from './task-writer.js';

/** Longest wait between two tries to store an outcome, in milliseconds. */
const STORE_WAITS = { firstMs: 50, maxMs: 2_000 };

/** An outcome on its way into the store. */
interface Settlement {
  readonly event: TaskEvent;
  readonly reservation: Reservation;
}

/** Of a commit that claimed nothing. */
const NOTHING_RUN: Promise<unknown> = Promise.resolve();

/**
 * Runs claimed steps: attempt, store the outcome, go on with whatever the same commit claimed. The
 * claim itself is the right to run; a step lives here from its claim until its outcome is stored or
 * somebody else has the say.
 */
export class StepRunner {
  readonly claims = new Claims();
  readonly slots: Slots;
  readonly sender: Sender;
  readonly writer: TaskWriter;
  readonly strays: StrayClaims;
  readonly session: Session;
  readonly keeper: SecretKeeper;
  private readonly fetcher: SecretFetcher;
  private readonly terms: StepTerms;
  private stopping = false;
  private abandoned = false;
  /** Called when a committed task wants to be looked at soon. */
  onSoon: (task: Task) => void = () => {};

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
  ) {
    const { clock, completionTokens, createAbort, observer, tracer, transport } = parts;
    this.keeper = new SecretKeeper(parts);
    this.fetcher = new SecretFetcher(parts);
    const { leaseMs } = settings;
    this.terms = { clock, leaseMs, createAbort, completionTokens, tracer, keeper: this.keeper };
    this.session = new Session(parts, settings);
    this.session.onEnded = () => this.loseClaims();
    this.slots = new Slots(settings.concurrency, clock, (limit) => this.session.slotsOf(limit));
    this.sender = new Sender({ clock, observer, transport });
    this.writer = new TaskWriter({ ...parts, observer: this.watched(observer) }, settings.timing);
    this.writer.onLeft = (dispatch) => this.sender.sendEarly(dispatch);
    this.session.onRenewed = () => this.slots.fill();
    this.strays = new StrayClaims(parts, settings, this);
  }

  private watched(observer: EngineParts['observer']): EngineParts['observer'] {
    return {
      committed: (task, entries) => {
        this.claims.taskMoved(task);
        observer.committed(task, entries);
      },
      noticed: (notice) => observer.noticed(notice),
    };
  }

  /** From now on nothing new is taken over. */
  refuseWork(): void {
    this.stopping = true;
    this.strays.forget();
  }

  /** From now on outcomes that the store does not take are given up; the lease's end repairs it. */
  abandonOutcomes(): void {
    this.abandoned = true;
  }

  /**
   * Claims of what a decision queued as much as this process can run now, in the same commit. The
   * slots are reserved, in place of those that an earlier decision of the same reservation took.
   */
  claimQueued(proposed: Proposed, reservation: Reservation): Decision {
    if (proposed.kind === 'proposed') return this.concluded(proposed, reservation);
    reservation.release();
    return proposed;
  }

  /** Concludes a proposal with claims; see `claimQueued`. */
  concluded(proposal: Proposal, reservation: Reservation): Moved {
    reservation.release();
    const { queued } = proposal;
    // Claims under a session that has ended would be lost at once.
    if (queued.length === 0 || this.stopping || !this.session.isFresh) return conclude(proposal);
    if (!this.keeper.mayRun(proposal.change)) return conclude(proposal);
    const shift = toMonotonic(this.parts.clock, proposal.change.now);
    const claims: Claimed[] = [];
    for (const { action, attempt, orderAt, ref } of queued) {
      const { command, module } = action;
      if (this.parts.catalogue.find(module, command) === undefined) continue;
      if (!reservation.reserve({ ref, module, shift }, orderAt)) continue;
      claims.push(this.claimEvent(ref, attempt));
    }
    return conclude(proposal, claims);
  }

  /** The event by which this process claims the next attempt of an action. */
  claimEvent({ direction, step }: ActionRef, number: number): Claimed {
    return { kind: 'claimed', direction, step, attempt: number, owner: this.session.name };
  }

  /**
   * The decision is stored: runs what it claimed. Resolves when the first outcome of each is
   * stored.
   */
  runReserved(task: Task, reservation: Reservation): Promise<unknown> {
    const works = reservation.take();
    if (works.length === 0) return NOTHING_RUN;
    const runs: Promise<void>[] = [];
    for (const { module, ref, shift } of works) {
      const claim = this.claimOf(task, ref, shift);
      if (claim === null) {
        this.slots.release(module);
        continue;
      }
      this.claims.add(claim);
      // Whoever called it off in the same commit could not tell it yet.
      if (!isWanted(task, claim)) claim.context.abort('called_off', callOffText(task));
      runs.push(this.run(claim));
    }
    return runs.length === 1 ? (runs[0] as Promise<void>) : Promise.all(runs);
  }

  /**
   * The claim that the document gives to this process; null where it does not, or it is held.
   * `shift`: see `toMonotonic`, as it was when it was claimed.
   */
  claimOf(task: Task, ref: ActionRef, shift = toMonotonic(this.parts.clock)): Claim | null {
    const lease = runOf(task, ref)?.lease;
    if (lease?.owner !== this.session.name) return null;
    if (this.claims.holds(task.plan.taskId, lease.token)) return null;
    return this.newClaim(task, { ref, token: lease.token, shift });
  }

  private newClaim(
    task: Task,
    { ref, shift, token }: Pick<Claim, 'ref' | 'token'> & { readonly shift: number },
  ): Claim | null {
    const run = claimedRun(task, { ref, token });
    const action = actionOf(task, ref);
    if (run === null || action === undefined) return null;
    const { leaseMs } = this.settings;
    const renew = (): Promise<boolean> => this.heartbeat(claim);
    const terms = this.terms;
    const context = new StepContext({ task, ref, run, shift, renew, terms });
    const { module } = action;
    const handler = this.handlerFor(module, action.command);
    const overdueAt = context.deadline + leaseMs + shift;
    const claim = freshClaim({ ref, token, module, handler, context, task, overdueAt });
    return claim;
  }

  private handlerFor(module: string, command: string): CommandHandler {
    const { catalogue } = this.parts;
    const found = catalogue.find(module, command);
    return found ?? unknownCommand(module, command, catalogue.commands(module));
  }

  /**
   * Runs a claim to its stored outcome, then starts what that commit handed over. The slot is the
   * caller's gift. Never rejects: nobody waits for most runs.
   */
  async run(claim: Claim): Promise<void> {
    try {
      const { outcome, leftBehind } = await attempt(claim, this.fetcher);
      claim.isAnswered = true;
      claim.leftBehind = leftBehind;
      const reservation = new Reservation(this.slots, leftBehind === null ? claim.module : null);
      const result = await this.settle(claim, { event: eventOf(claim, outcome), reservation });
      this.claims.remove(claim);
      this.free(claim);
      if (result === null) return;
      if (result.kind === 'ignored') this.strays.lookLater(result.task.plan.taskId);
      if (result.kind !== 'committed') return;
      void this.runReserved(result.task, reservation);
      this.onSoon(result.task);
      if (result.dispatches.length > 0) await this.sender.send(result.dispatches);
    } catch (error) {
      noticeBroken(this.parts.observer, claim, error);
    }
  }

  /** Gives the claim's slot back; once, however often it is called. */
  private free(claim: Claim): void {
    if (claim.isFreed) return;
    claim.isFreed = true;
    const { leftBehind, module } = claim;
    if (leftBehind === null) {
      this.slots.release(module);
      return;
    }
    // A command that ignores its signal is still at work, so its slot is not free.
    const release = (): void => this.slots.release(module);
    void leftBehind.then(release, release);
  }

  /**
   * Stores an outcome, however long the store takes to come back: an unavailable store is never a
   * failed step. Nor is a document that somebody has to mend first; it holds up no other step.
   */
  private async settle(claim: Claim, work: Settlement): Promise<WriteResult | null> {
    let overdueAt: number | null = null;
    for (let nth = 1; !this.abandoned; nth += 1) {
      try {
        const result = await this.report(claim, work);
        if (result.kind !== 'committed') work.reservation.release();
        if (result.kind === 'ignored') noticeLate(this.parts.observer, claim, result.reason);
        return result;
      } catch (error) {
        work.reservation.release();
        noticeWaiting(this.parts.observer, claim, error);
        const now = this.parts.clock.monotonic();
        overdueAt ??= now + this.settings.leaseMs;
        if (overdueAt <= now && error instanceof TaskUnreadable) this.free(claim);
        await this.parts.clock.sleep(growingDelay(STORE_WAITS, nth));
      }
    }
    return null;
  }

  private report(claim: Claim, { event, reservation }: Settlement): Promise<WriteResult> {
    return this.writer.write(claim.task, (task, moment) =>
      this.claimQueued(propose(task, event, { moment }), reservation),
    );
  }

  /**
   * Gives up a claim whose command does not answer; what that queues is sent and not taken over.
   * Throws `StoreUnavailable`.
   */
  async giveUp(claim: Claim, event: TaskEvent): Promise<void> {
    const result = await this.tell(claim, event);
    if (result.kind === 'committed') await this.sender.send(result.dispatches);
  }

  /**
   * Renews the session and looks at a claim's task; false when the right to run is gone. Throws
   * `StoreUnavailable`.
   */
  async heartbeat(claim: Claim): Promise<boolean> {
    const isAlive = await this.session.renew();
    return isAlive && claim.context.abortReason === null && (await this.confirm(claim));
  }

  /** Whether the document, read now, gives the claim to this process and wants it. */
  async confirm(claim: Claim): Promise<boolean> {
    const task = await this.parts.store.get(claim.context.taskId);
    if (task === null) return false;
    this.claims.judge(task);
    return isWanted(task, claim);
  }

  private loseClaims(): void {
    for (const claim of this.claims.all()) claim.context.abort('lease_lost');
  }

  /** Writes an event after which this process takes nothing over. */
  private tell(claim: Claim, event: TaskEvent): Promise<WriteResult> {
    return this.writer.write(claim.task, (task, moment) => transition(task, event, { moment }));
  }
}
