import { plainLine, plainSpaced } from '#wording';
import type { LogLine } from '../client/types.js';
import type { Paint } from '../session.js';

const COLOURS: Readonly<Record<string, 'dim' | 'red' | 'yellow'>> = {
  debug: 'dim',
  warn: 'yellow',
  error: 'red',
};

/** Marks of attempts of a rollback, and of the alert about a rollback that failed. */
const MARKS: Readonly<Record<string, string>> = { rollback: '↩ ', alert: '⚠ ' };

/** A line of an attempt: when, which attempt, and its text; above it how many lines were cut. */
export function logLines(line: LogLine, paint: Paint): readonly string[] {
  const { at, attempt, direction, dropped, level, message, run } = line;
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const place = `${MARKS[direction] ?? ''}${plainLine(run)}${again}`;
  const colour = COLOURS[level ?? ''];
  const text = plainSpaced(message);
  const shown = colour === undefined ? text : paint[colour](text);
  const told = `${paint.dim(at)}  ${paint.cyan(place)}  ${shown}`.trimEnd();
  if (dropped === undefined) return [told];
  const lines = dropped === 1 ? '1 line was' : `${dropped} lines were`;
  return [paint.dim(`... ${lines} cut here`), told];
}
