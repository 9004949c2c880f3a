import { useEffect, useState } from 'preact/hooks';
import { changeFeed } from '../api/change-feed.js';
import { pause } from '../browser/clock.js';
import type { Pace } from '../ui/polled.js';

/** While nothing changes, figures only grow old. In milliseconds. */
const REST_MS = 300_000;

/**
 * A pace that asks after tasks have changed, at most once in `busyMs`, and hardly ever at rest.
 * While nobody tells of changes, it asks every `busyMs`.
 */
export function useChangePace(busyMs: number): Pace {
  const [isLive, setLive] = useState(false);
  const [wish, setWish] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let hasNews = false;
    let isNapping = false;
    const wishSoon = async (): Promise<void> => {
      if (isNapping) return;
      isNapping = true;
      while (hasNews && !signal.aborted) {
        hasNews = false;
        setWish((before) => before + 1);
        await pause(busyMs, signal);
      }
      isNapping = false;
    };
    const onChanges = (): void => {
      hasNews = true;
      void wishSoon();
    };
    const stop = changeFeed.listen({ onLive: setLive, onChanges });
    return () => {
      controller.abort();
      stop();
    };
  }, [busyMs]);
  return { everyMs: isLive ? REST_MS : busyMs, wish };
}
