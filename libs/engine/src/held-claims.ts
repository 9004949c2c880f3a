import { FAILURE_CODES, type Task } from '#core';
import { isToStop, lostReason, runOf } from '#core/scopes';
import type { Clock } from '#ports';
import { dropFrom, setIn } from './keyed-sets.js';
import { callOffText } from './step-context.js';
import type {
  AttemptWords,
  HeartbeatAnswer,
  ReportAnswer,
  WorkClaim,
  WorkItem,
  WorkOutcome,
} from './work-desk.js';
import { heldRun, refOf } from './work-items.js';
import type { WorkerClaims } from './worker-claims.js';

/** Part of a lease in which a heartbeat is stored at most once. */
const STORED_ONCE_IN = 1 / 3;

/** A claim that this gateway has handed out or heard of. Times are of the monotonic clock. */
interface KnownClaim {
  readonly claim: WorkClaim;
  readonly poll: string | null;
  task: Task;
  /** A heartbeat was stored; null: none was. */
  storedAt: number | null;
  endsAt: number;
  lengthMs: number;
}

/**
 * The claims of workers that this gateway knows. It saves reads and writes, and tells a worker soon
 * that its action is not wanted; nothing is lost with it.
 */
export class HeldClaims {
  /** By task, and by token. */
  private readonly byTask = new Map<string, Map<number, KnownClaim>>();
  private readonly byWorker = new Map<string, Set<KnownClaim>>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic' | 'now'>,
    private readonly writes: WorkerClaims,
  ) {}

  /** Claims of a worker. */
  countOf(worker: string): number {
    return this.byWorker.get(worker)?.size ?? 0;
  }

  /** Whether a poll of a worker was answered here, and the worker still has some of it. */
  isFrom(worker: string, pollId: string): boolean {
    return [...(this.byWorker.get(worker) ?? [])].some(({ poll }) => poll === pollId);
  }

  /** A claim was handed out. */
  add({ claim }: Pick<WorkItem, 'claim'>, task: Task): void {
    this.note(claim, task, false);
  }

  drop(claim: WorkClaim): void {
    const { taskId, token } = claim;
    const claims = this.byTask.get(taskId);
    const known = claims?.get(token);
    if (claims === undefined || known === undefined) return;
    claims.delete(token);
    if (claims.size === 0) this.byTask.delete(taskId);
    dropFrom(this.byWorker, known.claim.worker, known);
  }

  /** Forgets all claims of a worker. */
  forget(worker: string): void {
    for (const { claim } of [...(this.byWorker.get(worker) ?? [])]) this.drop(claim);
  }

  /** Forgets claims whose leases are over. */
  forgetEnded(): void {
    const now = this.clock.monotonic();
    for (const { claim, endsAt } of this.all()) if (endsAt < now) this.drop(claim);
  }

  /** A task was committed by this process. */
  taskMoved(task: Task): void {
    if (this.byTask.size === 0) return;
    for (const known of this.byTask.get(task.plan.taskId)?.values() ?? []) {
      if (task.revision > known.task.revision) known.task = task;
    }
  }

  /** A sign of life. Throws `StoreUnavailable`. */
  async renew(claim: WorkClaim): Promise<HeartbeatAnswer> {
    const known = this.find(claim);
    const soon = known === null ? null : this.heldStill(known);
    if (soon !== null) return soon;
    const result = await this.writes.renew(claim, known?.task ?? null);
    if (result.kind === 'missing') return { state: 'gone' };
    return this.answerFor(claim, result.task);
  }

  /** Keeps what an attempt says. Resolves to whether lines are missing by now. */
  say(claim: WorkClaim, words: AttemptWords): Promise<boolean> {
    return this.writes.say(claim, words, this.find(claim)?.task ?? null);
  }

  /** Takes an outcome. Throws `StoreUnavailable`. */
  async settle(
    claim: WorkClaim,
    told: { readonly outcome: WorkOutcome; readonly names: readonly string[] },
  ): Promise<ReportAnswer> {
    const known = this.find(claim)?.task ?? null;
    const settled = await this.writes.report(claim, { known, ...told });
    this.drop(claim);
    if (settled === null) return { kind: 'gone' };
    const { isNew, isOther, report, task } = settled;
    if (report.late !== undefined) return { kind: 'late', reason: report.late };
    if (isOther) return { kind: 'differs' };
    const isTooLarge = runOf(task, refOf(claim))?.code === FAILURE_CODES.OUTPUT_TOO_LARGE;
    return { kind: 'taken', taskStatus: report.status, isReplayed: !isNew, isTooLarge };
  }

  /** The answer to a heartbeat that need not be stored; null: it is to be. */
  private heldStill(known: KnownClaim): HeartbeatAnswer | null {
    const { claim, endsAt, lengthMs, storedAt, task } = known;
    const now = this.clock.monotonic();
    if (storedAt === null || now - storedAt >= lengthMs * STORED_ONCE_IN) return null;
    const held = heldRun(task, claim);
    if (held === null || isToStop(task, refOf(claim))) return null;
    if (held.terms.isCancelled || endsAt <= now) return null;
    return { state: 'held', leaseMs: Math.round(endsAt - now) };
  }

  private answerFor(claim: WorkClaim, task: Task): HeartbeatAnswer {
    const held = heldRun(task, claim);
    if (held === null) {
      this.drop(claim);
      const report = task.reports.find(({ token }) => token === claim.token);
      if (report !== undefined && report.late === undefined) return { state: 'ended' };
      const reason = report?.late ?? lostReason(task, { ...refOf(claim), token: claim.token });
      return { state: 'lost', reason };
    }
    const leaseMs = Math.max(0, (held.run.dueAt ?? 0) - this.clock.now());
    this.note(claim, task, true);
    if (!held.terms.isCancelled) return { state: 'held', leaseMs };
    const isLate = !isToStop(task, refOf(claim));
    const reason = isLate ? 'cancelled: the time for the attempt is over' : callOffText(task);
    return { state: 'cancelled', reason, leaseMs, stopWithinMs: leaseMs };
  }

  private note(claim: WorkClaim, task: Task, isStored: boolean): void {
    const held = heldRun(task, claim);
    if (held === null) return;
    const now = this.clock.monotonic();
    const endsAt = now + (held.run.dueAt ?? 0) - this.clock.now();
    const { lengthMs, poll } = held.terms;
    const storedAt = isStored ? now : null;
    this.drop(claim);
    const known = { claim, poll, task, storedAt, endsAt, lengthMs };
    const { taskId, token } = claim;
    this.byTask.set(taskId, (this.byTask.get(taskId) ?? new Map()).set(token, known));
    setIn(this.byWorker, claim.worker).add(known);
  }

  private find({ taskId, token }: WorkClaim): KnownClaim | null {
    return this.byTask.get(taskId)?.get(token) ?? null;
  }

  private all(): readonly KnownClaim[] {
    return [...this.byTask.values()].flatMap((claims) => [...claims.values()]);
  }
}
