import {
  type ActionRef,
  type ActionRun,
  actionOf,
  type Direction,
  type JsonObject,
  parametersFor,
  resultsFor,
  runIdOf,
  stepAt,
  type Task,
} from '#core';
import type { AbortSignalLike, CommandContext, CompletionTokens } from '#ports';
import type { AbortSource } from './parts.js';

/** Why a command's signal was aborted. */
export type AbortReason = 'lease_lost' | 'called_off' | 'stopping' | 'time_over';

/** What a context is made of. */
export interface StepContextOptions {
  readonly task: Task;
  readonly ref: ActionRef;
  readonly run: ActionRun;
  /** Start of this attempt, milliseconds since 1970. */
  readonly now: number;
  /** A last look gets this long, though the deadline has come. */
  readonly leaseMs: number;
  readonly createAbort: () => AbortSource;
  readonly renew: () => Promise<boolean>;
  readonly completionTokens: CompletionTokens;
}

const SENTENCES: Readonly<Record<AbortReason, string>> = {
  lease_lost: 'the lease was lost: another executor may be running this step',
  called_off: 'the task no longer wants this step',
  stopping: 'this executor is stopping',
  time_over: 'the time of this attempt is over',
};

/**
 * What one attempt of a command is told. The signal is made when a command first asks for it: most
 * never do.
 */
export class StepContext implements CommandContext {
  readonly taskId: string;
  readonly flow: string;
  readonly step: string;
  readonly cursor: number;
  readonly run: string;
  readonly direction: Direction;
  readonly module: string;
  readonly command: string;
  readonly fencingToken: number;
  readonly attempt: number;
  readonly deadline: number;
  readonly attemptDeadline: number;
  abortReason: AbortReason | null = null;
  private source: AbortSource | null = null;
  private merged: JsonObject | null = null;

  constructor(private readonly options: StepContextOptions) {
    const { task, ref, run, now } = options;
    const action = actionOf(task, ref);
    this.taskId = task.plan.taskId;
    this.flow = task.plan.flow;
    this.step = stepAt(task, ref.step)?.name ?? '';
    this.cursor = ref.step;
    this.run = runIdOf(task, ref.step);
    this.direction = ref.direction;
    this.module = action?.module ?? '';
    this.command = action?.command ?? '';
    this.fencingToken = run.lease?.token ?? 0;
    this.attempt = run.attempts;
    const end = run.deadline ?? Number.MAX_SAFE_INTEGER;
    this.deadline = run.look === 'last' ? Math.max(end, now + options.leaseMs) : end;
    this.attemptDeadline = Math.min(this.deadline, now + (action?.attemptTimeoutMs ?? Infinity));
  }

  /** Merged when they are first asked for: they stay the same for the whole attempt. */
  get parameters(): JsonObject {
    this.merged ??= parametersFor(this.options.task, this.options.ref);
    return this.merged;
  }

  get results(): Readonly<Record<string, JsonObject>> {
    return resultsFor(this.options.task, this.options.ref);
  }

  get output(): JsonObject | null {
    const { ref, task } = this.options;
    return ref.direction === 'normal' ? null : (task.runs[ref.step]?.normal.output ?? null);
  }

  get idempotencyKey(): string {
    const key = `${this.taskId}:${this.run}:${this.direction}`;
    // Each raising of an alert has a key of its own, the same for all tries to deliver it.
    return this.direction === 'alert' ? `${key}:${this.options.run.startedAt ?? 0}` : key;
  }

  get forwardKey(): string {
    return `${this.taskId}:${this.run}:normal`;
  }

  /** Made when it is asked for: most commands never do. */
  get completionToken(): string {
    return this.options.completionTokens.tokenOf(this);
  }

  get signal(): AbortSignalLike {
    if (this.source === null) {
      this.source = this.options.createAbort();
      if (this.abortReason !== null) this.source.abort(new Error(SENTENCES[this.abortReason]));
    }
    return this.source.signal;
  }

  heartbeat(): Promise<boolean> {
    return this.options.renew();
  }

  /** Aborts the command's signal; the first reason counts. */
  abort(reason: AbortReason): void {
    if (this.abortReason !== null) return;
    this.abortReason = reason;
    this.source?.abort(new Error(SENTENCES[reason]));
  }
}
