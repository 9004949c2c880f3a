import type { Json } from '../api/shapes.js';
import { shortWords } from '../ui/durations.js';
import { WORDS } from '../words.js';

/** How an action is tried again, as a task tells it. Times in seconds. */
interface RetryRule {
  /** Starts in all, the first one included. */
  readonly attempts: number;
  readonly backoff: 'fixed' | 'exponential';
  /** The first wait. */
  readonly delay: number;
  /** Null: waits grow without an end. */
  readonly maxDelay: number | null;
  readonly jitter: boolean;
  /** Codes of the only errors that are tried again. */
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}

const TEXT = WORDS.retryRule;

/**
 * How an action is tried again, in words: `2 times, after 100 ms, then twice as long each time, at
 * most 1 min`. A number is that of the retries, which have no waits between them.
 */
export function retryWords(retry: Json): string {
  if (typeof retry === 'number') return WORDS.retries(retry);
  const rule = retry as unknown as RetryRule;
  const { attempts, jitter, never, only } = rule;
  const retries = WORDS.retries(attempts - 1);
  if (attempts === 1) return retries;
  return [
    retries,
    ...waitsOf(rule),
    ...(jitter ? [TEXT.spread] : []),
    ...(only === undefined ? [] : [TEXT.only(only.join(', '))]),
    ...(never === undefined ? [] : [TEXT.never(never.join(', '))]),
  ].join(', ');
}

function waitsOf({ backoff, delay, maxDelay }: RetryRule): readonly string[] {
  const first = shortWords(delay);
  if (backoff === 'fixed') return [TEXT.each(first)];
  const most = maxDelay === null ? [] : [TEXT.most(shortWords(maxDelay))];
  return [TEXT.first(first), TEXT.doubled, ...most];
}
