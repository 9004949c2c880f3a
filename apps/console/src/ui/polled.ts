import { useEffect, useRef, useState } from 'preact/hooks';
import { isForGood, type Refused } from '../api/exchange.js';
import { pause } from '../browser/clock.js';
import { untilSeen, untilUnrest } from './rest.js';

/** The state of a polled request. */
export interface Polled<T> {
  /** The last good answer; null: none yet. */
  readonly value: T | null;
  /** Whether nothing answered the last time, or the server was too busy to. */
  readonly isAway: boolean;
  /** Why the last request was refused; null: it was not. */
  readonly refusal: Refused | null;
}

const AWAY_MS = 1_000;
/** After so long without an answer none comes: a browser by itself would wait for minutes. */
const LATE_MS = 30_000;

/** When a request is repeated. */
export interface Pace {
  readonly everyMs: number;
  /** Asks at once where it changes. */
  readonly wish: number | string;
  /** At least so long after the last answer, however often it changes. Default: 0. */
  readonly gapMs?: number;
}

/**
 * Asks at once and then again and again while the page can be seen and is not at rest. A change of
 * `key` forgets what there is. A refusal ends it: the same request would be refused again.
 */
export function usePolled<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
): Polled<T> {
  return usePaced(key, ask, { everyMs, wish: 0 });
}

/** The same, and at once whenever a person wishes. */
export function usePaced<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { everyMs, gapMs = 0, wish }: Pace,
): Polled<T> {
  const [state, set] = useState<Polled<T> & { readonly key: string }>(() => blank(key));
  const latest = useRef(ask);
  latest.current = ask;
  const wake = useRef(() => {});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let nap = controller;
    let isWished = false;
    // A request that is on its way goes on, however often a person wishes for another.
    wake.current = () => {
      isWished = true;
      if (nap !== controller) nap.abort();
    };
    const repeat = async (): Promise<void> => {
      while (!signal.aborted) {
        isWished = false;
        const next = await askOnce(latest.current, signal);
        if (signal.aborted) return;
        set((before) => ({ ...(before.key === key ? before : blank<T>(key)), ...next }));
        if (next.refusal) return;
        nap = new AbortController();
        if (isWished) nap.abort();
        await pause(next.isAway ? AWAY_MS : gapMs, signal);
        if (!next.isAway) {
          await pause(everyMs - gapMs, nap.signal);
          await untilUnrest(nap.signal);
        }
        await untilSeen(signal);
      }
    };
    void repeat();
    return () => {
      controller.abort();
      nap.abort();
    };
  }, [key, everyMs]);
  const heard = useRef(wish);
  useEffect(() => {
    if (heard.current === wish) return;
    heard.current = wish;
    wake.current();
  }, [wish]);
  return state.key === key ? state : blank(key);
}

function blank<T>(key: string): Polled<T> & { readonly key: string } {
  return { key, value: null, isAway: false, refusal: null };
}

/** The state after one more request. */
export async function askOnce<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Partial<Polled<T>>> {
  const turn = new AbortController();
  const end = (): void => turn.abort();
  const timer = setTimeout(end, LATE_MS);
  signal.addEventListener('abort', end);
  try {
    return { value: await ask(turn.signal), isAway: false, refusal: null };
  } catch (error) {
    return isForGood(error) ? { refusal: error, isAway: false } : { isAway: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
