import {
  type ActionRun,
  FAILURE_CODES,
  isActive,
  type JournalEntry,
  questionOf,
  type Task,
} from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import { clockErrorMs } from '../scenario.js';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { newEntries } from './new-entries.js';
import { pairsOf } from './pairs.js';

/** An action that expires starts in its time for the first time, or never. */
export class ExpiryCheck {
  /** By task and run: the moment from which an action that is ready is not to be started. */
  private readonly ends = new Map<string, number>();
  /** By task. */
  private readonly resumes = new Map<string, number>();

  constructor(private readonly world: World) {}

  look({ task }: Stored, before: Task | null): void {
    const { taskId } = task.plan;
    const isResumed = task.paused === null && (before?.paused ?? null) !== null;
    if (isResumed) this.resumes.set(taskId, (this.resumes.get(taskId) ?? 0) + 1);
    // A person may have an action queued again before it was started.
    if (before !== null && newEntries(task, before).some(isQueuedAgain)) this.forget(taskId);
    for (const { after, before: old, direction, step } of pairsOf(task, before)) {
      const { expiresAfterMs, normal } = stepAt(task, step) ?? {};
      if (direction === 'rollback' || expiresAfterMs === undefined) continue;
      const key = `${taskId} ${runIdOf(task, step)}`;
      this.lookAtEnd(key, after, old);
      const end = this.ends.get(key) ?? Infinity;
      const startedAt = after.deadline === null ? null : after.deadline - (normal?.timeoutMs ?? 0);
      if (old?.deadline === null && startedAt !== null && startedAt >= end)
        this.violate(key, 'started too late');
      const isAsked = questionOf(task, { direction, step }) !== null;
      const isReady = after.state === 'queued' && !isAsked;
      // One that is handed back, or whose claim is forgotten, has the end that it had before.
      if (!isReady && (isAsked || !isActive(after))) this.ends.delete(key);
      else if (!this.ends.has(key)) {
        // The process that ends the step before it may start it in the same commit.
        const readyAt = isReady ? this.queuedAt(after) : (startedAt ?? Infinity);
        this.ends.set(key, readyAt + expiresAfterMs + this.pauseErrorMs(taskId));
      }
    }
    // The time of a pause does not count.
    if (task.paused !== null) this.forget(taskId);
  }

  private forget(taskId: string): void {
    for (const key of this.ends.keys()) if (key.startsWith(`${taskId} `)) this.ends.delete(key);
  }

  /** When an action was queued that is seen so for the first time. */
  private queuedAt({ dispatches, dueAt }: ActionRun): number {
    const { redispatchAfterMs } = this.world.scenario.timing;
    return dispatches === 1 ? (dueAt ?? Infinity) - redispatchAfterMs : Infinity;
  }

  /** A pause begins by one clock and ends by another, and moves the end by what lies between. */
  private pauseErrorMs(taskId: string): number {
    return 2 * clockErrorMs(this.world.scenario) * (this.resumes.get(taskId) ?? 0);
  }

  private lookAtEnd(key: string, after: ActionRun, old: ActionRun | null): void {
    if (after.code !== FAILURE_CODES.EXPIRED || old?.code === after.code) return;
    this.world.see('expired');
    // Attempts do not tell: what a person has tried again keeps them, and a handler that catches it
    // in the same commit counts one.
    if (typeof old?.deadline === 'number' && !isForgotten(after, old))
      this.violate(key, 'expired after its start');
  }

  private violate(key: string, message: string): void {
    this.world.violate('I38', `${key} ${message}`);
  }
}

/** Whether the same commit forgot a claim whose worker gave no sign. */
function isForgotten(after: ActionRun, old: ActionRun): boolean {
  return old.lease?.terms?.isHeld === false && after.deadline === null;
}

/** One commit may hold that an action expired, and that a person has it tried again. */
function isQueuedAgain({ kind }: Pick<JournalEntry, 'kind'>): boolean {
  return kind === 'reset_requested' || kind === 'retry_requested';
}
