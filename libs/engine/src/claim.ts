import type { ActionRef, ActionRun, Task } from '#core';
import { runOf } from '#core/scopes';
import type { Clock, CommandHandler } from '#ports';
import type { StepContext } from './step-context.js';

/** A step that this process has the right to run, from its claim to the commit of its outcome. */
export interface Claim {
  readonly ref: ActionRef;
  readonly token: number;
  readonly module: string;
  readonly handler: CommandHandler;
  readonly context: StepContext;
  /** The document as this process knows it. */
  task: Task;
  /** When its command should long have answered, by the monotonic clock; sooner once called off. */
  overdueAt: number;
  /** The command has answered; its outcome may not be stored yet. */
  isAnswered: boolean;
  /** Set: its command was left behind and still runs; it has its slot until this resolves. */
  leftBehind: Promise<void> | null;
  /** Its slot was given back or passed on, or is as soon as what was left behind ends. */
  isFreed: boolean;
}

/** A claim whose command has not begun. */
export function freshClaim(known: Omit<Claim, 'isAnswered' | 'isFreed' | 'leftBehind'>): Claim {
  const { context, handler, module, overdueAt, ref, task, token } = known;
  // Written out: the engine makes a spread again each time.
  return {
    ref,
    token,
    module,
    handler,
    context,
    task,
    overdueAt,
    isAnswered: false,
    leftBehind: null,
    isFreed: false,
  };
}

/**
 * The offset from a moment to one of the monotonic clock, in milliseconds, by what the time of day
 * is now: work that this process has in hand does not end because a clock is set.
 */
export function toMonotonic(clock: Pick<Clock, 'monotonic' | 'now'>, now = clock.now()): number {
  return clock.monotonic() - now;
}

/** The run that a claim is about, if it is still this claim's. */
export function claimedRun(
  task: Task,
  { ref, token }: Pick<Claim, 'ref' | 'token'>,
): ActionRun | null {
  const run = runOf(task, ref);
  return run?.state === 'running' && run.lease?.token === token ? run : null;
}
