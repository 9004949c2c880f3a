import {
  type ActionRef,
  actionOf,
  type HandOver,
  type Task,
  type TaskEvent,
  transition,
} from '#core';
import type { CommandHandler } from '#ports';
import { type Claim, claimedRun, runOf, toMonotonic } from './claim.js';
import { Claims } from './claims.js';
import { noticeLate, noticeWaiting } from './outcome-notices.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { Sender } from './sender.js';
import { Slots } from './slots.js';
import { StepContext } from './step-context.js';
import { attempt, eventOf, unknownCommand } from './step-outcome.js';
import { TaskWriter, type WriteResult } from './task-writer.js';

/** Longest wait between two tries to store an outcome, in milliseconds. */
const STORE_WAIT_MAX_MS = 2_000;

/**
 * Wait before claims are looked for that a lost answer may have left without a holder, in
 * milliseconds.
 */
const ADOPT_AFTER_MS = 100;

/** Work that a decision took over for this process, until its commit is known. */
export interface TakenOver {
  readonly works: { readonly ref: ActionRef; readonly module: string }[];
}

/** An outcome on its way into the store. */
interface Settlement {
  readonly event: TaskEvent;
  readonly taken: TakenOver;
  /** Whether the claim's slot may serve a follow-up of the same module. */
  readonly lends: boolean;
}

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
  private stopping = false;
  private abandoned = false;
  /** Told when a committed task wants to be looked at soon. */
  onSoon: (task: Task) => void = () => {};

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
  ) {
    const { clock, observer, transport } = parts;
    this.slots = new Slots(settings.concurrency, clock);
    this.sender = new Sender(transport, observer);
    this.writer = new TaskWriter({ ...parts, observer: this.watched(observer) }, settings.timing);
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
  }

  /** From now on outcomes that the store does not take are given up; the lease's end repairs it. */
  abandonOutcomes(): void {
    this.abandoned = true;
  }

  /**
   * Offers messages of a decision to this process, after letting go of what a decision before it
   * took in vain. Slots are taken while deciding and must be settled by `runTaken` or `dropTaken`.
   * `own`: the module whose slot the caller is about to free and lends to its follow-up.
   */
  handOver(taken: TakenOver, own?: string): HandOver {
    this.dropTaken(taken);
    let lent = own;
    return ({ ref, action, attempt: number }) => {
      const { module, command } = action;
      if (this.stopping || this.parts.catalogue.find(module, command) === undefined) return null;
      if (module === lent) {
        lent = undefined;
        this.slots.takeAnyway(module);
      } else if (!this.slots.tryTake(module)) {
        return null;
      }
      taken.works.push({ ref, module });
      return this.claimEvent(ref, number);
    };
  }

  /** The event by which this process claims the next attempt of an action. */
  claimEvent({ direction, step }: ActionRef, number: number): TaskEvent {
    const { leaseMs, owner } = this.settings;
    return { kind: 'claimed', direction, step, attempt: number, owner, leaseMs };
  }

  /** The decision was not stored: its slots are free again. */
  dropTaken(taken: TakenOver): void {
    while (taken.works.length > 0) this.slots.release(taken.works.pop()!.module);
  }

  /**
   * The decision is stored: runs what it claimed. Resolves when the first outcome of each is
   * stored.
   */
  runTaken(task: Task, taken: TakenOver): Promise<unknown> {
    const runs: Promise<void>[] = [];
    for (let work = taken.works.shift(); work !== undefined; work = taken.works.shift()) {
      const { module, ref } = work;
      const claim = this.claimOf(task, ref);
      if (claim === null) {
        this.slots.release(module);
        continue;
      }
      this.claims.add(claim);
      runs.push(this.run(claim));
    }
    return runs.length === 1 ? (runs[0] as Promise<void>) : Promise.all(runs);
  }

  private claimOf(task: Task, ref: ActionRef): Claim | null {
    const lease = runOf(task, ref)?.lease;
    if (lease?.owner !== this.settings.owner) return null;
    if (this.claims.holds(task.plan.taskId, lease.token)) return null;
    return this.newClaim(task, { ref, token: lease.token });
  }

  private newClaim(task: Task, { ref, token }: Pick<Claim, 'ref' | 'token'>): Claim | null {
    const run = claimedRun(task, { ref, token });
    const action = actionOf(task.plan, ref);
    if (run === null || action === undefined) return null;
    const { clock, createAbort } = this.parts;
    const { leaseMs } = this.settings;
    const renew = (): Promise<boolean> => this.renew(claim);
    const context = new StepContext({
      task,
      ref,
      run,
      now: clock.now(),
      leaseMs,
      createAbort,
      renew,
    });
    const { module } = action;
    const handler = this.handlerFor(module, action.command);
    const shift = toMonotonic(clock);
    const leaseUntil = (run.lease?.until ?? 0) + shift;
    const overdueAt = context.deadline + leaseMs + shift;
    const claim = { ref, token, module, handler, context, task, leaseUntil, overdueAt };
    return claim;
  }

  private handlerFor(module: string, command: string): CommandHandler {
    const { catalogue } = this.parts;
    const found = catalogue.find(module, command);
    return found ?? unknownCommand(module, command, catalogue.commands(module));
  }

  /**
   * Runs a claim to its stored outcome, then starts what that commit handed over. The slot is the
   * caller's gift.
   */
  private async run(claim: Claim): Promise<void> {
    const { outcome, leftBehind } = await attempt(claim);
    const taken: TakenOver = { works: [] };
    const lends = leftBehind === null;
    const result = await this.settle(claim, { event: eventOf(claim, outcome), taken, lends });
    this.claims.remove(claim);
    // A command that ignores its signal is still at work, so its slot is not free.
    if (leftBehind === null) this.slots.release(claim.module);
    else void leftBehind.then(() => this.slots.release(claim.module));
    if (result === null) return;
    if (result.kind === 'ignored') this.adoptLater(result.task.plan.taskId);
    if (result.kind !== 'committed') return;
    void this.runTaken(result.task, taken);
    if (outcome.kind !== 'succeeded') this.onSoon(result.task);
    if (result.dispatches.length > 0) await this.sender.send(result.dispatches);
  }

  /**
   * Stores an outcome, however long the store takes to come back: an unavailable store is never a
   * failed step.
   */
  private async settle(claim: Claim, work: Settlement): Promise<WriteResult | null> {
    for (let waitMs = 50; !this.abandoned; waitMs = Math.min(waitMs * 2, STORE_WAIT_MAX_MS)) {
      try {
        const result = await this.report(claim, work);
        if (result.kind !== 'committed') this.dropTaken(work.taken);
        if (result.kind === 'ignored') noticeLate(this.parts.observer, claim, result.reason);
        return result;
      } catch (error) {
        this.dropTaken(work.taken);
        noticeWaiting(this.parts.observer, claim, error);
        await this.parts.clock.sleep(waitMs);
      }
    }
    return null;
  }

  private report(claim: Claim, { event, taken, lends }: Settlement): Promise<WriteResult> {
    const own = lends ? claim.module : undefined;
    return this.writer.write(claim.task, (task, moment) =>
      transition(task, event, { moment, handOver: this.handOver(taken, own) }),
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

  /** Renews a claim's lease; false when the right to run is gone. Throws `StoreUnavailable`. */
  async renew(claim: Claim): Promise<boolean> {
    const { clock } = this.parts;
    const { leaseMs } = this.settings;
    const event: TaskEvent = { kind: 'renewed', ...claim.ref, token: claim.token, leaseMs };
    const result = await this.tell(claim, event);
    if (result.kind !== 'committed') {
      const calledOff = result.kind === 'ignored' && result.reason === 'called_off';
      claim.context.abort(calledOff ? 'called_off' : 'lease_lost');
      return false;
    }
    claim.task = result.task;
    claim.leaseUntil = (claimedRun(result.task, claim)?.lease?.until ?? 0) + toMonotonic(clock);
    return true;
  }

  /** Writes an event after which this process takes nothing over. */
  private tell(claim: Claim, event: TaskEvent): Promise<WriteResult> {
    return this.writer.write(claim.task, (task, moment) => transition(task, event, { moment }));
  }

  /**
   * A write whose answer was lost may have been applied, and then claims it made for this process
   * wait for nobody. They are looked for a little later, when every other claim here has been
   * noted, and as long as their leases can last.
   */
  adoptLater(taskId: string, waitMs = ADOPT_AFTER_MS): void {
    if (this.stopping || waitMs > this.settings.leaseMs) return;
    this.parts.clock.after(waitMs, () => {
      this.adoptAll(taskId).catch(() => this.adoptLater(taskId, waitMs * 2));
    });
  }

  private async adoptAll(taskId: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task === null) return;
    const refs = task.runs.flatMap((_, step): ActionRef[] => [
      { direction: 'normal', step },
      { direction: 'rollback', step },
    ]);
    const claims = refs.flatMap((ref) => this.claimOf(task, ref) ?? []);
    await Promise.all(claims.map((claim) => this.adopt(claim)));
  }

  /**
   * The document may be an old one that came late, and the claim long over: it is still ours only
   * if it can be renewed.
   */
  private async adopt(claim: Claim): Promise<void> {
    this.claims.adopt(claim);
    const isOurs = await this.renew(claim).catch((error: unknown) => {
      this.claims.disown(claim);
      throw error;
    });
    if (!isOurs) {
      this.claims.disown(claim);
      return;
    }
    this.slots.takeAnyway(claim.module);
    void this.run(claim);
  }
}
