/** `500ms`, `30s`, `5m`, `2h`, or a number of seconds. */
export type Duration = number | `${number}` | `${number}${'ms' | 's' | 'm' | 'h'}`;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration into whole milliseconds. Throws a `RangeError` that says how to write one. */
export function parseDuration(written: string | number): number {
  const ms = typeof written === 'number' ? written * 1_000 : textMs(written.trim());
  if (ms >= 0 && ms <= Number.MAX_SAFE_INTEGER) return Math.round(ms);
  throw new RangeError('not a duration: write 500ms, 30s, 5m or 2h, or a number of seconds');
}

function textMs(text: string): number {
  const found = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)?$/.exec(text);
  return found === null ? NaN : Number(found[1]) * (UNITS[found[2] ?? 's'] ?? NaN);
}
