import { type Duration, parseDuration } from '#wording';
import { KIND } from './shapes.js';

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
