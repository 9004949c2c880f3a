/** Longer than anybody means to wait; a longer one is a slip of the pen. */
export const DURATION_MAX_MS = 365 * 24 * 3_600_000;

/** What a duration looks like as text. */
export const DURATION_PATTERN = '^[0-9]+(\\.[0-9]+)?(ms|s|m|h)?$';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/**
 * Reads `500ms`, `30s`, `5m`, `1.5h`, or a bare number of seconds (as number or text), into whole
 * milliseconds. Null: it is none of these.
 */
export function parseDuration(written: string | number): number | null {
  const found = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)?$/.exec(plainText(written));
  if (found === null) return null;
  const ms = Math.round(Number(found[1]) * (UNITS.get(found[2] ?? 's') ?? 0));
  return Number.isFinite(ms) ? ms : null;
}

/** Writes milliseconds the shortest way that `parseDuration` reads back. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of [...UNITS].reverse()) {
    if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

/** A number as digits: `String(1e-7)` would be one with an exponent. */
function plainText(written: string | number): string {
  if (typeof written === 'string') return written;
  return written >= 0 && written < 1e15 ? written.toFixed(6) : String(written);
}
