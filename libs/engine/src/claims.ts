import type { Task } from '#core';
import { isToStop } from '#core/scopes';
import type { TaskStore } from '#ports';
import { type Claim, claimedRun } from './claim.js';
import { callOffText } from './step-context.js';

/** How many adopted claims are remembered: more than writes can be without an answer. */
const ADOPTED_MAX = 10_000;

/** All claims of this process, from claim to outcome. */
export class Claims {
  private readonly byTask = new Map<string, Claim[]>();
  /** `taskId token`. The write that made such a claim may still be answered, however late. */
  private readonly adopted = new Set<string>();
  private readonly emptied: (() => void)[] = [];
  private count = 0;

  constructor(private readonly store: Pick<TaskStore, 'get'>) {}

  get size(): number {
    return this.count;
  }

  add(claim: Claim): void {
    const { taskId } = claim.context;
    const claims = this.byTask.get(taskId);
    if (claims === undefined) this.byTask.set(taskId, [claim]);
    else claims.push(claim);
    this.count++;
  }

  remove(claim: Claim): void {
    const { taskId } = claim.context;
    const claims = this.byTask.get(taskId);
    const index = claims?.indexOf(claim) ?? -1;
    if (claims === undefined || index < 0) return;
    // Emptied, not only let go of: a map that has grown again keeps its old entries for a while,
    // and they would keep the task's documents.
    claims.splice(index, 1);
    if (claims.length === 0) this.byTask.delete(taskId);
    this.count--;
    if (this.count === 0) for (const tell of this.emptied.splice(0)) tell();
  }

  /** Adds a claim that was found in the store; a late answer must not start it once more. */
  adopt(claim: Claim): void {
    this.add(claim);
    this.adopted.add(keyOf(claim.context.taskId, claim.token));
    for (const oldest of this.adopted) {
      if (this.adopted.size <= ADOPTED_MAX) break;
      this.adopted.delete(oldest);
    }
  }

  /** The claim could not be shown to be ours; `StrayClaims` may find it again. */
  disown(claim: Claim): void {
    this.adopted.delete(keyOf(claim.context.taskId, claim.token));
    this.remove(claim);
  }

  all(): readonly Claim[] {
    return [...this.byTask.values()].flat();
  }

  /** Whether the claim is, or was, in the hands of this process. */
  holds(taskId: string, token: number): boolean {
    if (this.adopted.size > 0 && this.adopted.has(keyOf(taskId, token))) return true;
    return this.byTask.get(taskId)?.some((claim) => claim.token === token) ?? false;
  }

  /** Resolves when there is no claim. */
  whenEmpty(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => this.emptied.push(resolve));
  }

  /** A task was committed by this process: claims it no longer wants are aborted at once. */
  taskMoved(task: Task): void {
    // A scope of it may go back while the task goes forward.
    const wantsAll = task.way === 'forward' && task.outcome === null && task.scopes.length === 0;
    if (this.count === 0 || wantsAll) return;
    this.judge(task);
  }

  /**
   * Aborts the claims that a document no longer wants. One older than a claim says nothing of it.
   */
  judge(task: Task): void {
    for (const claim of this.byTask.get(task.plan.taskId) ?? []) {
      if (claim.task.revision > task.revision) continue;
      if (isWanted(task, claim)) claim.task = task;
      else if (claimedRun(task, claim) === null) claim.context.abort('lease_lost');
      else claim.context.abort('called_off', callOffText(task));
    }
  }

  /**
   * Whether the document, read now, gives the claim to this process and wants it. Throws
   * `StoreUnavailable`.
   */
  async confirm(claim: Claim): Promise<boolean> {
    const task = await this.store.get(claim.context.taskId);
    if (task === null) return false;
    this.judge(task);
    return isWanted(task, claim);
  }

  /** The session that they were made under has ended, and they with it. */
  loseAll(): void {
    for (const claim of this.all()) claim.context.abort('lease_lost');
  }

  /** Tasks with claims, and the newest revision of each that its claims know. */
  revisions(): ReadonlyMap<string, number> {
    const known = new Map<string, number>();
    for (const [taskId, claims] of this.byTask) {
      known.set(taskId, Math.max(...claims.map(({ task }) => task.revision)));
    }
    return known;
  }
}

function keyOf(taskId: string, token: number): string {
  return `${taskId} ${token}`;
}

/** Whether the task, as it is, still wants what the claim runs. */
export function isWanted(task: Task, claim: Pick<Claim, 'ref' | 'token'>): boolean {
  return claimedRun(task, claim) !== null && !isToStop(task, claim.ref);
}
