import type { Change } from '../change/change.js';
import type { JsonObject } from '../json/json.js';
import { scopeIndexOf } from '../scopes/scope-index.js';
import { contentSize, DEFAULT_LIMITS } from '../task/task-size.js';

/** Why the task cannot hold this output besides what it holds; null: it can. */
export function excessWith(change: Change, output: JsonObject, what = 'the output'): string | null {
  const { contentBytes } = change.moment.limits ?? DEFAULT_LIMITS;
  const own = change.index.sizeOf(output);
  const whole = contentBytesOf(change) + own;
  if (whole <= contentBytes) return null;
  return (
    `${what} has ${own} bytes; with it the task would hold ${whole} bytes of parameters ` +
    `and outputs, at most ${contentBytes} are allowed`
  );
}

function contentBytesOf(change: Change): number {
  const { base, index, plan, requests, runs } = change;
  index.contentBytes ??= contentSize({ edits: requests.edits, plan, runs: base.runs });
  const made = change.scopes.length === 0 ? 0 : scopeIndexOf(change).made.bytes;
  return index.contentBytes + index.grownBy(runs) + made;
}
