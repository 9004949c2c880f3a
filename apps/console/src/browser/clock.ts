/** The only place of the console that reads time and chance. */

/** Milliseconds since 1970, by the browser's clock. */
export function now(): number {
  return Date.now();
}

/** So far an answer's whole seconds and its way may take the server's time from the right one. */
const NEAR_MS = 2_000;

let aheadMs = 0;

/** Takes over the server's time, as the header `Date` of an answer has it; null: it has none. */
export function hearServerTime(date: string | null): void {
  const ms = Date.parse(date ?? '') - now();
  // It stays as it is where it is near: moments on the page do not tremble with each answer.
  if (Math.abs(ms - aheadMs) > NEAR_MS) aheadMs = Math.abs(ms) > NEAR_MS ? ms : 0;
}

/** Milliseconds since 1970, by the server's clock as far as it was heard, else the browser's. */
export function serverNow(): number {
  return now() + aheadMs;
}

/** A key that no other request has; also on pages that were not opened securely. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Resolves after this many milliseconds, at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      // A signal may outlive thousands of pauses.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
