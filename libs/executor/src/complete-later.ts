import { type Duration, parseDuration } from '#wording';
import { KIND } from './shapes.js';

/** Returned by a command that another system completes. Made by `completeLater`. */
export class CompleteLater {
  readonly [KIND] = 'complete_later';

  constructor(readonly timeoutMs: number | null) {}
}

/** Options of `completeLater`. */
export interface CompleteLaterOptions {
  /**
   * For how long the completion is waited for, at most until the end of the action's `timeout`; a
   * bare number is seconds. Default: until then.
   */
  readonly timeout?: Duration;
}

/**
 * Says that the command's work is in other hands: the step waits, without a process, until the
 * holder of `context.completionToken` says by HTTP how it ended. When nobody has in time, the
 * attempt has failed with `TIMED_OUT`.
 */
export function completeLater({ timeout }: CompleteLaterOptions = {}): CompleteLater {
  return new CompleteLater(timeout === undefined ? null : parseDuration(timeout));
}

/** Returned by a command whose work goes on elsewhere. Made by `lookAgain`. */
export class LookAgain {
  readonly [KIND] = 'look_again';

  constructor(readonly afterMs: number) {}
}

/**
 * Says that the command's work is started but not finished: it is called again after `after` (a
 * bare number is seconds), which costs no attempt of the retry budget. The command must find out by
 * itself whether it has started the work already; `context.idempotencyKey` stays the same.
 */
export function lookAgain(after: Duration): LookAgain {
  return new LookAgain(parseDuration(after));
}
