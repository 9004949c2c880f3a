import type { AttemptFailure, EntryWait, FailureName } from './failure.js';
import type { JsonObject } from '../json/json.js';

/**
 * The result of one attempt of a command. The set is closed: its handlers cover every kind.
 *
 * - `succeeded`: done; `output` is merged into the parameters of later steps.
 * - `not_finished`: started and still going on elsewhere, or what the command works with was not
 *   there, which `message` then says; look again after `afterMs`. Costs no attempt.
 * - `completes_later`: started, and a person or system outside says how it ended, within
 *   `timeoutMs`; null: while there is time for the action.
 * - `failed`, retryable: may be tried again while the budget lasts; `afterMs` overrides the
 *   policy's delay.
 * - `failed`, terminal: trying again is pointless.
 * - `timed_out`: the deadline of all attempts has come.
 * - `handed_back`: the executor is stopping, or does not know the command while another build does;
 *   with `wait`: what the command is to be given is not there now, so that it was not entered.
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

/** Longest text that is looked at: a message may be as long as memory. */
const TEXT_MAX = 4_000;

/** Members that may say what went wrong: some errors have a code and no message. */
const TELLING = ['message', 'code', 'name'] as const;

/** An attempt is refused for good before its command is entered, so that it had no effect. */
export function refusal(failure: FailureName, message: string): Outcome {
  return { kind: 'failed', terminal: true, failure, refused: true, message };
}

/**
 * The text of a thrown value: its message, code or name, at most 4,000 characters. Throws whatever
 * reading the value throws, as with a getter or a proxy.
 */
export function readThrown(error: unknown): string {
  if (typeof error === 'string') return error.slice(0, TEXT_MAX);
  if (typeof error === 'object' && error !== null) {
    for (const name of TELLING) {
      const said = (error as Readonly<Record<string, unknown>>)[name];
      if (typeof said !== 'string') continue;
      const text = said.slice(0, TEXT_MAX);
      if (text.trim() !== '') return text;
    }
  }
  return `threw ${error === null ? 'null' : typeof error}`;
}

/** A text of at most `max` characters, with a sign where its end was cut, and no half of one. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/\p{Surrogate}$/u, '')}…`;
}

/** As `readThrown`, for code that must go on whatever was thrown. Never throws. */
export function textOfThrown(error: unknown): string {
  try {
    return readThrown(error);
  } catch {
    return 'threw something that cannot be read';
  }
}
