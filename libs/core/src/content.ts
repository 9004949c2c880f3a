import type { Change } from './change.js';
import type { JsonObject } from './json.js';
import { contentSize, DEFAULT_LIMITS, sizeOf } from './task-size.js';

/** Why the task cannot hold this output besides what it holds; null: it can. */
export function excessWith(change: Change, output: JsonObject, what = 'the output'): string | null {
  const { contentBytes } = change.moment.limits ?? DEFAULT_LIMITS;
  const own = sizeOf(output);
  const whole = contentBytesOf(change) + own;
  if (whole <= contentBytes) return null;
  return (
    `${what} has ${own} bytes; with it the task would hold ${whole} bytes of parameters ` +
    `and outputs, at most ${contentBytes} are allowed`
  );
}

/** Counts an output that the task holds from now on. */
export function addContent(change: Change, output: JsonObject): void {
  change.tally.contentBytes = contentBytesOf(change) + sizeOf(output);
}

function contentBytesOf(change: Change): number {
  const { edits, plan, runs, tally } = change;
  tally.contentBytes ??= contentSize({ edits, plan, runs });
  return tally.contentBytes;
}
