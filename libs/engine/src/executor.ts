import type { ActionRef, Dispatch, StepMessage, Task } from '#core';
import { priorityOf, runOf } from '#core/scopes';
import { transition } from '#core/transitions';
import {
  type Consumer,
  type DeliveryVerdict,
  StoreUnavailable,
  TaskUnreadable,
  endsWithin,
} from '#ports';
import type { ExecutorDirectory } from './executor-directory.js';
import { toMonotonic } from './claim.js';
import { actionIn } from './dispatched.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { Reservation } from './reservation.js';
import type { Pieces } from './pieces.js';
import type { ClaimResult } from './admissions.js';

/** How long a delivered message waits for a free slot before it is given back, in milliseconds. */
const SLOT_WAIT_MS = 200;

/**
 * A step that may run longer than this is acknowledged right after its claim: brokers take back
 * messages that are held for long (RabbitMQ after 30 minutes), and the lease covers the step
 * anyway. Seconds.
 */
const HOLD_MAX_S = 300;

/** How long stopped commands get to answer their aborted signal, in milliseconds. */
const ABORT_GRACE_MS = 1_000;

/** Results of claims of actions that are still to be run. */
const IN_HAND: ReadonlySet<ClaimResult['kind']> = new Set(['committed', 'waiting']);

/** The result of a claim, and how long its action had waited; see `DeliveryNews`. */
interface Taken {
  readonly dispatch: Dispatch;
  readonly result: ClaimResult;
  readonly waitedMs: number | null;
  /** See `toMonotonic`, when it was decided on. */
  readonly shift: number;
}

/** Takes messages of the modules this process serves and has their steps run. */
export class Executor {
  private consumers: Consumer[] = [];
  private stopped: Promise<void> | null = null;

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
    private readonly pieces: Omit<Pieces, 'mover'>,
    private readonly directory: ExecutorDirectory,
  ) {}

  /**
   * Starts consuming; resolves when every module's queue is being read or will be as soon as the
   * broker is there.
   */
  async start(): Promise<void> {
    const { catalogue, transport } = this.parts;
    const { line, slots } = this.pieces.state;
    const deliver = line.hearing((dispatch) => this.deliver(dispatch));
    const modules = catalogue.modules();
    this.consumers = await Promise.all(
      modules.map((module) => transport.consume(module, slots.places(module), deliver)),
    );
  }

  /**
   * Handles one message: claim, run, settle. A message that cannot be decided now is given back;
   * one that is out of date is dropped.
   */
  async deliver(dispatch: Dispatch): Promise<DeliveryVerdict> {
    const { module, command } = dispatch.message;
    const { state } = this.pieces;
    if (!this.has(dispatch.message)) {
      // Where nobody has it, a message that was kept would only take the place of others: the
      // action stays queued, and governance sends it again once an executor has it.
      const isElsewhere = await this.directory.hasElsewhere(module, command);
      return isElsewhere ? this.putOff(module) : this.leave(module);
    }
    const { orderAt } = dispatch;
    const isTaken = state.slots.tryTake(module, orderAt);
    if (!isTaken && !(await state.slots.take(module, orderAt, SLOT_WAIT_MS))) {
      return this.putOff(module);
    }
    const reservation = new Reservation(state.slots);
    reservation.hold(module);
    try {
      const taken = await state.line.claimFirst(dispatch, {
        fits: (action) => this.has(action),
        claim: (first) => this.claim(first),
        isGone: (claimed) => claimed !== null && !IN_HAND.has(claimed.result.kind),
      });
      if (taken === null) {
        reservation.release();
        return this.putOff(module);
      }
      return await this.runClaimed(taken, reservation);
    } catch (error) {
      reservation.release();
      // Once it can be read again, governance finds it due and sends what it asks for.
      if (error instanceof TaskUnreadable) return 'ack';
      if (!(error instanceof StoreUnavailable)) throw error;
      this.notice('store_unavailable', 'a message waits because the store does not answer', error);
      return this.putOff(module);
    }
  }

  private has({ command, module }: Pick<StepMessage, 'command' | 'module'>): boolean {
    return this.parts.catalogue.find(module, command) !== undefined;
  }

  private putOff(module: string): DeliveryVerdict {
    this.leave(module);
    return 'later';
  }

  /** Its action is not started now. */
  private leave(module: string): DeliveryVerdict {
    this.parts.observer.delivered?.({ module, outcome: 'later', waitedMs: null });
    return 'ack';
  }

  /** Null: this process may have stood still since the message came, and what it claims be lost. */
  private async claim(dispatch: Dispatch): Promise<Taken | null> {
    const { state, strays, taker } = this.pieces;
    let isStale = false;
    let waitedMs: number | null = null;
    let shift = 0;
    const { message } = dispatch;
    const claiming = state.admissions.claim(dispatch, (task, moment) => {
      isStale = !state.session.isFresh;
      // Secrets that do not open here need another process: governance asks again.
      const isHeld = isStale || !state.keeper.mayRun(task);
      const ref = isHeld ? null : actionIn(task, dispatch);
      if (ref === null) return { kind: 'ignored', reason: 'no_such_action' };
      waitedMs = waitOf(task, ref, moment.now);
      shift = toMonotonic(this.parts.clock, moment.now);
      const event = taker.claimEvent(ref, message.attempt);
      return transition(task, event, { moment });
    });
    const result = await claiming.catch((error: unknown) => {
      // Its write may have been applied, or be applied yet. It is of this task: of several messages
      // in line, the one in hand may be of another.
      if (!(error instanceof TaskUnreadable)) strays.lookLater(message.taskId);
      throw error;
    });
    if (isStale) return null;
    // The claim may be this process's own: its write was given up, and landed after all.
    if (result.kind === 'ignored') strays.lookIn(result.task);
    return { dispatch, result, waitedMs, shift };
  }

  private async runClaimed(
    { dispatch, result, shift, waitedMs }: Taken,
    reservation: Reservation,
  ): Promise<DeliveryVerdict> {
    const { runner, state } = this.pieces;
    const { module } = dispatch.message;
    const { observer } = this.parts;
    const ref = result.kind === 'committed' ? actionIn(result.task, dispatch) : null;
    if (ref === null) reservation.release();
    else reservation.assign({ ref, shift });
    if (result.kind === 'waiting') {
      this.leave(module);
      return 'ack';
    }
    if (result.kind !== 'committed') {
      const reason = result.kind === 'ignored' ? result.reason : result.kind;
      observer.delivered?.({ module, outcome: 'stale', waitedMs: null });
      this.notice('stale_message', `a message for ${dispatch.message.step} was dropped: ${reason}`);
      return 'ack';
    }
    observer.delivered?.({ module, outcome: 'claimed', waitedMs });
    const running = runner.runReserved(result.task, reservation);
    if (result.dispatches.length > 0) await state.sender.send(result.dispatches);
    if (dispatch.message.timeout <= HOLD_MAX_S) await running;
    return 'ack';
  }

  /**
   * Takes no further work, lets running commands finish for `drainMs`, hands back the rest. Safe to
   * call twice.
   */
  stop(): Promise<void> {
    this.stopped ??= this.drain();
    return this.stopped;
  }

  private async drain(): Promise<void> {
    const { runner, state, strays } = this.pieces;
    const { clock } = this.parts;
    state.isStopping = true;
    strays.forget();
    const consumed = Promise.all(this.consumers.map((consumer) => consumer.stop()));
    const drained = Promise.all([consumed, state.claims.whenEmpty()]);
    await endsWithin(drained, { clock, ms: this.settings.drainMs });
    for (const claim of state.claims.all()) claim.context.abort('stopping');
    const grace = { clock, ms: ABORT_GRACE_MS };
    await endsWithin(drained, grace);
    await endsWithin(this.handBack(), grace);
    runner.abandonOutcomes();
  }

  /**
   * Gives back the steps whose commands ignore the signal, so that another executor need not wait
   * for the leases.
   */
  private async handBack(): Promise<void> {
    const { runner, state } = this.pieces;
    const message = 'the executor stopped before the command did';
    const jobs = state.claims.all().map((claim) => {
      const event = { kind: 'handed_back', ...claim.ref, token: claim.token, message } as const;
      return runner.giveUp(claim, event);
    });
    await Promise.allSettled(jobs);
  }

  private notice(name: string, message: string, error?: unknown): void {
    const level = error === undefined ? 'debug' : 'warn';
    this.parts.observer.noticed({ level, name, message, error });
  }
}

/**
 * How long ago a queued action was due to start, in milliseconds; null: the document does not tell.
 * Its order time is that moment less its head start, which one that is queued again may
 * not have: of the two the shorter wait is told.
 */
function waitOf(task: Task, ref: ActionRef, now: number): number | null {
  const run = runOf(task, ref);
  if (run === null || run.orderAt === null) return null;
  const headStart = priorityOf(task, ref.step) * 1_000;
  const dueAt = run.orderAt + (run.attempts === 0 ? headStart : Math.max(0, headStart));
  return Math.max(0, now - dueAt);
}
