/** Why an event changes nothing. */
type IgnoreReason =
  | 'no_such_action'
  | 'not_queued'
  | 'stale_attempt'
  | 'stale_token'
  | 'called_off'
  | 'held'
  | 'paused'
  | 'nothing_due'
  | 'repeated'
  | 'differs';

/** Why a person's action is not carried out. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code:
    | 'ILLEGAL_ACTION'
    | 'NO_SUCH_STEP'
    | 'NO_SUCH_CHILD'
    | 'SIGNALS_FULL'
    | 'TOO_LARGE'
    | 'TOO_MANY_ACTIONS';
  readonly message: string;
  /** With `TOO_MANY_ACTIONS`: milliseconds after which it may be asked for again. */
  readonly retryAfterMs?: number;
  /** With `ILLEGAL_ACTION` past a point of no return: the step down to which it is legal. */
  readonly to?: string;
  /** With `ILLEGAL_ACTION`: the member of the request that is in the way; absent: none is. */
  readonly about?: 'children';
}

/** The verdict on an event. */
export type Verdict =
  | { readonly kind: 'applied' }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason }
  | Refusal;

/** The event changed the task. */
export const APPLIED: Verdict = Object.freeze({ kind: 'applied' });

/** The event changes nothing, for this reason. */
export function ignored(reason: IgnoreReason): Verdict {
  return { kind: 'ignored', reason };
}

/** Refuses an action that is not legal now, for this reason. */
export function illegal(message: string): Refusal {
  return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
}

/** Most names that a refusal lists. */
const NAMES_MAX = 20;

/** Names as a refusal lists them: the first 20, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  const shown = names.slice(0, NAMES_MAX).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
