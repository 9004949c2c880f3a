import { useEffect, useRef, useState } from 'preact/hooks';
import { serverNow } from '../browser/clock.js';

const TICK_MS = 5_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for the whole page: there may be thousands of moments on it. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.visibilityState !== 'visible') return;
  for (const listener of listeners) listener();
}

/**
 * A text or number that a function makes of the present, in seconds since 1970, every few seconds.
 * The part is drawn again only where that differs.
 */
export function useTicking<T extends string | number>(make: (present: number) => T): T {
  const [, redraw] = useState(0);
  const shown = make(serverNow() / 1_000);
  const latest = useRef({ make, shown });
  latest.current = { make, shown };
  useEffect(
    () =>
      listen(() => {
        const { current } = latest;
        if (current.make(serverNow() / 1_000) !== current.shown) redraw((before) => before + 1);
      }),
    [],
  );
  return shown;
}
