import {
  assertNever,
  type Dispatch,
  type HandedBack,
  type KnownReport,
  type LeaseTerms,
  type Task,
  type TaskEvent,
  type WorkerOutcome,
} from '#core';
import { canonicalJson } from '#core/json';
import { actionOf } from '#core/scopes';
import { propose, transition } from '#core/transitions';
import { actionIn } from './dispatched.js';
import { toMonotonic } from './claim.js';
import type { EngineParts } from './parts.js';
import type { Pieces } from './pieces.js';
import { SecretFetcher } from './secret-fetcher.js';
import { takeSecrets } from './step-outcome.js';
import type { StepContext } from './step-context.js';
import type { WriteResult } from './task-writer.js';
import type { AttemptWords, PollOrder, WorkClaim, WorkItem, WorkOutcome } from './work-desk.js';
import { attemptOf, claimsIn, heldRun, itemOf, refOf } from './work-items.js';

/**
 * A message was decided on. `later`: it needs another process. `waiting`: its action waits for the
 * limit of its module.
 */
type TakenWork =
  | { readonly kind: 'claimed'; readonly item: WorkItem; readonly task: Task }
  | { readonly kind: 'later' | 'stale' | 'waiting' };

/** An outcome as the document knows it. */
interface Settled {
  readonly task: Task;
  readonly report: KnownReport;
  readonly isNew: boolean;
  /** It is another outcome than the one that is known. */
  readonly isOther: boolean;
}

/** An outcome as a worker tells it. */
interface ToldOutcome {
  readonly outcome: WorkOutcome;
  /** The secret members of its output. */
  readonly names: readonly string[];
  /** The document, as far as it is known here; null: it is not. */
  readonly known: Task | null;
}

/** How long a poll may be repeated, in milliseconds. */
export const REPEATABLE_MS = 60_000;

/** Writes what happens to claims of workers. Every method may throw `StoreUnavailable`. */
export class WorkerClaims {
  private readonly fetcher: SecretFetcher;
  private hashKey: string | undefined;

  constructor(
    private readonly parts: EngineParts,
    private readonly pieces: Pick<Pieces, 'mover' | 'state' | 'taker'>,
  ) {
    this.fetcher = new SecretFetcher(parts);
  }

  /** Claims what a message asks for. */
  async claim(dispatch: Dispatch, order: PollOrder): Promise<TakenWork> {
    const { state } = this.pieces;
    let isHeld = false;
    const { message } = dispatch;
    const { build, leaseMs: lengthMs, pollId: poll = null } = order;
    const worker = { lengthMs, poll, ...(build !== undefined && { build }) };
    const result = await state.admissions.claim(dispatch, (task, moment) => {
      isHeld = state.isStopping || !state.keeper.mayRun(task);
      const ref = isHeld ? null : actionIn(task, dispatch);
      if (ref === null) return { kind: 'ignored', reason: 'no_such_action' };
      const { attempt } = message;
      const claimed = { kind: 'claimed', ...ref, attempt, owner: order.worker, worker } as const;
      return transition(task, claimed, { moment });
    });
    if (isHeld) return { kind: 'later' };
    if (result.kind === 'waiting') return { kind: 'waiting' };
    if (result.kind !== 'committed') return { kind: 'stale' };
    // Where its time was over, the claim ended it, and queued what follows.
    if (result.dispatches.length > 0) await state.sender.send(result.dispatches);
    const ref = actionIn(result.task, dispatch);
    const claims = claimsIn(result.task, order.worker);
    const claim = claims.find(({ direction, place }) => {
      return ref?.direction === direction && ref.step === place;
    });
    if (claim === undefined) return { kind: 'stale' };
    const item = await this.itemFor(result.task, claim);
    return item === null ? { kind: 'stale' } : { kind: 'claimed', item, task: result.task };
  }

  /** The item of a claim; null: its secrets are not to be had, and it has ended. */
  private async itemFor(task: Task, claim: WorkClaim): Promise<WorkItem | null> {
    const context = await this.openContext(task, claim);
    return context === null ? null : this.itemIn(task, claim, context);
  }

  /** The context of a claim with its secrets; null: see `itemFor`. */
  private async openContext(task: Task, claim: WorkClaim): Promise<StepContext | null> {
    const context = heldRun(task, claim) === null ? null : this.contextOf(task, claim);
    if (context === null) return null;
    const refusal = context.hasSecrets ? await takeSecrets(context, this.fetcher) : null;
    if (refusal !== null) {
      const { token } = claim;
      const event = { ...refusal, ...refOf(claim), token };
      await this.pieces.mover.move(task, (current, moment) => propose(current, event, { moment }));
      return null;
    }
    return context;
  }

  /** Null: the document does not give the claim to its worker. */
  private itemIn(task: Task, claim: WorkClaim, context: StepContext): WorkItem | null {
    const held = heldRun(task, claim);
    return held && itemOf({ claim, context, task }, held, this.parts.clock.now());
  }

  /** Items of a poll that was answered before, as far as its worker still has them. */
  async again(worker: string, pollId: string, limit: number): Promise<readonly WorkItem[]> {
    const since = this.parts.clock.now() - REPEATABLE_MS;
    const isOf = (terms: LeaseTerms): boolean => terms.poll === pollId && terms.since >= since;
    const found: { readonly task: Task; readonly claim: WorkClaim }[] = [];
    for await (const task of this.tasksOf(worker)) {
      found.push(...claimsIn(task, worker, isOf).map((claim) => ({ task, claim })));
      if (found.length >= limit) break;
    }
    const given = found.slice(0, limit).map(({ claim, task }) => this.giveAgain(task, claim));
    return (await Promise.all(given)).filter((item) => item !== null);
  }

  /**
   * Renews a claim: a gateway that could not write its answer may be handing it back, which comes
   * too late once it is held. An action that is to be confirmed does not begin before.
   */
  private async giveAgain(task: Task, claim: WorkClaim): Promise<WorkItem | null> {
    // Before it is held: what cannot be given now goes back.
    const context = await this.openContext(task, claim);
    if (context === null) return null;
    if (actionOf(task, refOf(claim))?.onCrash === 'fail') return this.itemIn(task, claim, context);
    const renewed = await this.renew(claim, task);
    return renewed.kind === 'missing' ? null : this.itemIn(renewed.task, claim, context);
  }

  /** Gives a claim back that nobody has seen. */
  async handBack(claim: WorkClaim, message: string): Promise<void> {
    await this.move(claim.taskId, { ...handedBack(claim, message), isUnseen: true });
  }

  /** Gives back every claim of a worker. */
  async handBackAll(worker: string, message: string): Promise<void> {
    for await (const task of this.tasksOf(worker)) {
      const claims = claimsIn(task, worker);
      await Promise.all(claims.map((claim) => this.move(task, handedBack(claim, message))));
    }
  }

  /** Every task of which a worker has claims. */
  private async *tasksOf(worker: string): AsyncGenerator<Task> {
    for (let after: string | undefined; ;) {
      const page = await this.parts.sessions.findHeld(worker, { after, limit: PAGE });
      yield* page.tasks;
      if (page.next === null) return;
      after = page.next;
    }
  }

  /** A sign of life. `known`: the document, as far as it is known here. */
  async renew(claim: WorkClaim, known: Task | null): Promise<WriteResult> {
    const { state } = this.pieces;
    const event = { kind: 'renewed', ...refOf(claim), token: claim.token } as const;
    if (known === null) {
      return state.writer.writeById(claim.taskId, (task, moment) =>
        transition(task, event, { moment }),
      );
    }
    return state.writer.write(known, (task, moment) => transition(task, event, { moment }));
  }

  /**
   * Keeps what an attempt says, without the secrets that it was given. Resolves to whether lines
   * are missing by now. `known`: see `renew`.
   */
  async say(claim: WorkClaim, words: AttemptWords, known: Task | null): Promise<boolean> {
    const task = known ?? (await this.parts.store.get(claim.taskId));
    if (task === null) return false;
    if (heldRun(task, claim) === null) return this.sayLate(task, claim, words);
    const context = this.contextOf(task, claim);
    if (context === null) return false;
    // A secret that cannot be fetched could not be found in the lines.
    const isUnknown = context.hasSecrets && (await takeSecrets(context, this.fetcher)) !== null;
    return isUnknown || context.say(words);
  }

  /** Keeps the lines of an attempt whose claim is over, and tells whether some are missing. */
  private sayLate(task: Task, claim: WorkClaim, { dropped, lines }: AttemptWords): boolean {
    const attempt = attemptOf(task, claim);
    const isRepeated = task.reports.some(({ token }) => token === claim.token);
    if (lines.length === 0 || isRepeated || attempt === null) return false;
    // The secrets that it was given may have other values by now, and would not be found.
    if (task.hasSecrets) return true;
    const { clock, output } = this.parts;
    const now = clock.now();
    const kept = lines.map(({ agoMs, ...line }) => ({ at: now - agoMs, ...line }));
    const isCut = output?.append(attempt, kept, dropped) ?? false;
    output?.end(attempt);
    return isCut;
  }

  /** Stores an outcome; null: its task is gone. */
  async report(claim: WorkClaim, told: ToldOutcome): Promise<Settled | null> {
    const found = told.known ?? (await this.parts.store.get(claim.taskId));
    if (found === null) return null;
    const hash = this.hashOf(claim, told.outcome);
    const sealed = await this.sealed(found, claim, told);
    const { worker } = claim;
    const event = { kind: 'worker_reported', hash, worker, ...sealed } as const;
    const result = await this.move(found, event);
    if (result.kind === 'missing') return null;
    const report = result.task.reports.find(({ token }) => token === claim.token);
    if (report === undefined) throw new Error(`task ${claim.taskId} has not kept a report`);
    const isNew = result.kind === 'committed';
    const attempt = isNew ? attemptOf(result.task, claim) : null;
    if (attempt !== null) this.parts.output?.end(attempt);
    return { task: result.task, report, isNew, isOther: !isNew && report.hash !== hash };
  }

  private move(start: Task | string, event: TaskEvent): Promise<WriteResult> {
    return this.pieces.mover.move(start, (task, moment) => propose(task, event, { moment }));
  }

  private contextOf(task: Task, claim: WorkClaim): StepContext | null {
    const shift = toMonotonic(this.parts.clock);
    return this.pieces.taker.contextOf(task, { ref: refOf(claim), shift });
  }

  /** By a key that documents do not have: no reader of one can try out what the outcome was. */
  private hashOf({ direction, place, taskId, token }: WorkClaim, outcome: WorkOutcome): string {
    // No task has this id, so it is no token by which anything is completed.
    const ofNone = { taskId: '', run: '', direction: 'normal', attempt: 1 } as const;
    this.hashKey ??= this.parts.completionTokens.tokenOf(ofNone);
    // None but the last of them has a space in it.
    const text = `${this.hashKey} ${taskId} ${token} ${direction} ${place} ${canonicalJson(outcome)}`;
    return this.parts.entropy.idOf(text).slice(-HASH_LENGTH);
  }

  /** The outcome without the secrets that its attempt was given, and with its own ones sealed. */
  private async sealed(
    task: Task,
    claim: WorkClaim,
    { names, outcome }: ToldOutcome,
  ): Promise<{ readonly outcome: WorkerOutcome; readonly hasSecrets?: true }> {
    const { direction, place: step, token } = claim;
    const plain = plainOutcome(outcome);
    const context = task.hasSecrets || names.length > 0 ? this.contextOf(task, claim) : null;
    if (context === null) return { outcome: { direction, step, token, ...plain } };
    // They are known then where they stand in the outcome; what is away cannot be looked for.
    if (context.hasSecrets) await takeSecrets(context, this.fetcher);
    const closed = context.close(plain, names) as typeof plain;
    const told = { outcome: { direction, step, token, ...closed } };
    return context.hasSealed ? { hasSecrets: true, ...told } : told;
  }
}

/** Tasks of a worker that are looked at in one go. */
const PAGE = 100;

/** Characters by which an outcome is told from others of the same claim. */
const HASH_LENGTH = 12;

/** An outcome in the words of the core, but for the attempt that it is of. */
type PlainOutcome = WorkerOutcome extends infer Each
  ? Each extends WorkerOutcome
    ? Omit<Each, 'direction' | 'step' | 'token'>
    : never
  : never;

function handedBack(claim: WorkClaim, message: string): HandedBack {
  return { kind: 'handed_back', ...refOf(claim), token: claim.token, message };
}

function plainOutcome(outcome: WorkOutcome): PlainOutcome {
  switch (outcome.kind) {
    case 'complete':
      return { ...outcome, kind: 'succeeded' };
    case 'fail':
      return { ...outcome, kind: 'failed', failure: outcome.failure ?? 'FAILED' };
    case 'again':
      return { kind: 'not_finished', afterMs: outcome.afterMs, message: outcome.message };
    case 'later':
      return { kind: 'completes_later', timeoutMs: outcome.timeoutMs };
    case 'release':
      return { kind: 'handed_back', message: outcome.reason ?? 'the worker gave it back' };
    default:
      return assertNever(outcome);
  }
}
