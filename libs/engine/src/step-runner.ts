import { growingDelay, type Task, type TaskEvent } from '#core';
import { propose, transition } from '#core/transitions';
import { isOutage, type Notice, type Observer, TaskUnreadable } from '#ports';
import type { ClaimTaker } from './claim-taker.js';
import type { Claim } from './claim.js';
import { isWanted } from './claims.js';
import type { EngineState } from './engine-state.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { Reservation } from './reservation.js';
import { SecretFetcher } from './secret-fetcher.js';
import { callOffText } from './step-context.js';
import { attempt, eventOf } from './step-outcome.js';
import type { WriteResult } from './task-writer.js';

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
 * another person has the say.
 */
export class StepRunner {
  private readonly fetcher: SecretFetcher;
  private isAbandoned = false;

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: Pick<EngineSettings, 'leaseMs'>,
    private readonly pieces: { readonly state: EngineState; readonly taker: ClaimTaker },
  ) {
    this.fetcher = new SecretFetcher(parts);
  }

  /** From now on outcomes that the store does not take are given up; the lease's end repairs it. */
  abandonOutcomes(): void {
    this.isAbandoned = true;
  }

  /**
   * The decision is stored: runs what it claimed. Resolves when the first outcome of each is
   * stored.
   */
  runReserved(task: Task, reservation: Reservation): Promise<unknown> {
    const works = reservation.take();
    if (works.length === 0) return NOTHING_RUN;
    const { state, taker } = this.pieces;
    const runs: Promise<void>[] = [];
    for (const { module, ref, shift } of works) {
      const claim = taker.claimOf(task, ref, shift);
      if (claim === null) {
        state.slots.release(module);
        continue;
      }
      state.claims.add(claim);
      // Whoever called it off in the same commit could not tell it yet.
      if (!isWanted(task, claim)) claim.context.abort('called_off', callOffText(task));
      runs.push(this.run(claim));
    }
    return runs.length === 1 ? (runs[0] as Promise<void>) : Promise.all(runs);
  }

  /**
   * Runs a claim to its stored outcome, then starts what that commit handed over. The slot is the
   * caller's gift. Never rejects: nobody waits for most runs.
   */
  async run(claim: Claim): Promise<void> {
    const { state } = this.pieces;
    try {
      const { outcome, leftBehind } = await attempt(claim, this.fetcher);
      claim.context.end();
      claim.isAnswered = true;
      claim.leftBehind = leftBehind;
      const reservation = new Reservation(state.slots, leftBehind === null ? claim.module : null);
      const result = await this.settle(claim, { event: eventOf(claim, outcome), reservation });
      if (reservation.hasPassedOn) claim.isFreed = true;
      else this.free(claim);
      // Follow-ups come before the claim goes: so the task keeps its place among the claims.
      if (result?.kind === 'committed') void this.runReserved(result.task, reservation);
      state.claims.remove(claim);
      if (result === null) return;
      if (result.kind === 'ignored') state.effects.lookForStrays(result.task.plan.taskId);
      if (result.kind !== 'committed') return;
      state.effects.wakeSoon(result.task);
      if (result.dispatches.length > 0) await state.sender.send(result.dispatches);
    } catch (error) {
      noticeBroken(this.parts.observer, claim, error);
    }
  }

  /** Gives the claim's slot back; once, however often it is called. */
  private free(claim: Claim): void {
    if (claim.isFreed) return;
    claim.isFreed = true;
    const { leftBehind, module } = claim;
    const { slots } = this.pieces.state;
    if (leftBehind === null) {
      slots.release(module);
      return;
    }
    // A command that ignores its signal is still at work, so its slot is not free.
    const release = (): void => slots.release(module);
    void leftBehind.then(release, release);
  }

  /**
   * Stores an outcome, however long the store takes to come back: an unavailable store is never a
   * failed step. Nor is a document that a person has to mend first; it holds up no other step.
   */
  private async settle(claim: Claim, work: Settlement): Promise<WriteResult | null> {
    let overdueAt: number | null = null;
    for (let nth = 1; !this.isAbandoned; nth += 1) {
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
        if (overdueAt <= now && error instanceof TaskUnreadable) {
          this.free(claim);
          work.reservation.disown();
        }
        await this.parts.clock.sleep(growingDelay(STORE_WAITS, nth));
      }
    }
    return null;
  }

  private report(claim: Claim, { event, reservation }: Settlement): Promise<WriteResult> {
    const { state, taker } = this.pieces;
    return state.writer.write(claim.task, (task, moment) =>
      taker.claimQueued(propose(task, event, { moment }), reservation),
    );
  }

  /**
   * Gives up a claim whose command does not answer; what that queues is sent and not taken over.
   * Throws `StoreUnavailable`.
   */
  async giveUp(claim: Claim, event: TaskEvent): Promise<void> {
    const { sender, writer } = this.pieces.state;
    const result = await writer.write(claim.task, (task, moment) =>
      transition(task, event, { moment }),
    );
    if (result.kind === 'committed') await sender.send(result.dispatches);
  }
}

/** An outcome came after another person had decided. */
function noticeLate(observer: Observer, { context }: Claim, reason: string): void {
  const { module, step, taskId } = context;
  const message = `outcome of ${step} came too late: ${reason}`;
  observer.noticed({ level: 'info', name: 'late_outcome', message, taskId, module });
}

/** An outcome is kept until it can be stored: something does not answer, or we have a bug. */
export function noticeWaiting(observer: Observer, { context }: Claim, error: unknown): void {
  const { module, step, taskId } = context;
  const message = `outcome of ${step} is not stored yet`;
  observer.noticed({ ...weightOf(error, 'outcome_waits'), message, taskId, module, error });
}

/** Reports that the work after an outcome failed: governance goes on with the task. */
export function noticeBroken(observer: Observer, { context }: Claim, error: unknown): void {
  const { module, step, taskId } = context;
  const message = `what follows ${step} could not be started`;
  observer.noticed({ ...weightOf(error, 'next_step_waits'), message, taskId, module, error });
}

/** Anything but an outage is a bug of ours. */
function weightOf(error: unknown, outage: string): Pick<Notice, 'level' | 'name'> {
  if (isOutage(error)) return { level: 'warn', name: outage };
  return { level: 'error', name: 'internal_error' };
}
