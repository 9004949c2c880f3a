import type { AttemptFailure, EntryWait, FailureName } from './failure.js';
import type { JsonObject } from '../json/json.js';

/**
 * The result of one attempt of a command. The set is closed: its handlers cover every kind.
 *
 * - `succeeded`: done; `output` is merged into the parameters of later steps.
 * - `not_finished`: started and still going on elsewhere, or what the command works with was not
 * there, which `message` then says; look again after `afterMs`. Costs no attempt.
 * - `completes_later`: started, and a person or system outside says how it ended, within
 * `timeoutMs`; null: while there is time for the action.
 * - `failed`, retryable: may be tried again while the budget lasts; `afterMs` overrides the
 * policy's delay.
 * - `failed`, terminal: trying again is pointless.
 * - `timed_out`: the deadline of all attempts has come.
 * - `handed_back`: the executor is stopping, or does not know the command while another build does;
 * with `wait`: what the command is to be given is not there now, so that it was not entered.
 */
export type Outcome =
  | { readonly kind: 'succeeded'; readonly output: JsonObject | null }
  | {
      readonly kind: 'not_finished';
      readonly afterMs: number;
      readonly message?: string | undefined;
    }
  | { readonly kind: 'completes_later'; readonly timeoutMs: number | null }
  | ({ readonly kind: 'failed' } & AttemptFailure)
  | { readonly kind: 'timed_out'; readonly message: string }
  | {
      readonly kind: 'handed_back';
      readonly message: string;
      readonly wait?: EntryWait | undefined;
    };

/** An attempt is refused for good before its command is entered, so that it had no effect. */
export function refusal(failure: FailureName, message: string): Outcome {
  return { kind: 'failed', terminal: true, failure, refused: true, message };
}
