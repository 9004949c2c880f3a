import { useEffect } from 'preact/hooks';

/** Tells those that wait that the page has come to rest, or goes on. */
const turns = new EventTarget();
let isAtRest = false;

/** Lets the page come to rest: nothing of it changes by itself, so nothing has to be asked. */
export function useRest(isResting: boolean): void {
  useEffect(() => {
    setRest(isResting);
    return () => setRest(false);
  }, [isResting]);
}

function setRest(isResting: boolean): void {
  isAtRest = isResting;
  turns.dispatchEvent(new Event('turn'));
}

/** Resolves once the page can be seen, at once when the signal is aborted. */
export function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === 'visible' || signal.aborted) return resolve();
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Resolves once asking again is worth it: at once while the page is not at rest, else when a person
 * comes back to it, or it goes on, or the signal is aborted.
 */
export function untilUnrest(signal: AbortSignal): Promise<void> {
  return isAtRest ? untilBack(signal, () => !isAtRest) : Promise.resolve();
}

/** Resolves when a person comes back to the page, or it goes on, or the signal is aborted. */
export function untilBack(signal: AbortSignal, isOver = () => false): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const heard = new AbortController();
    const end = (): void => {
      heard.abort();
      resolve();
    };
    const order = { signal: heard.signal };
    turns.addEventListener('turn', () => isOver() && end(), order);
    window.addEventListener('focus', end, order);
    document.addEventListener(
      'visibilitychange',
      () => document.visibilityState === 'visible' && end(),
      order,
    );
    signal.addEventListener('abort', end, order);
  });
}
