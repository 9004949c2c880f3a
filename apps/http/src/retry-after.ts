/** Longer than anybody waits for a service; a server may write anything. */
const WAIT_MAX_MS = 24 * 3_600_000;

/** Milliseconds that a `Retry-After` asks for, seconds or a date; null: nothing to be obeyed. */
export function retryAfterMs(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), WAIT_MAX_MS) : null;
}
