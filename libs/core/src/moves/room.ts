import type { Change } from '../change/change.js';
import type { JsonObject } from '../json/json.js';
import { scopeIndexOf } from '../scopes/scope-index.js';
import { listIn, stepAt } from '../scopes/step-at.js';
import { type Beginning, freeBlock } from './scope-change.js';
import { contentSize, DEFAULT_LIMITS } from '../task/task-size.js';

/**
 * Why a step cannot begin these scopes: its task would have too many runs and scopes. Null: it can.
 * Only what goes forward adds any, so that a way back never lacks room.
 */
export function lackOfRoom(
  change: Change,
  place: number,
  beginnings: readonly Beginning[],
): string | null {
  let more = 0;
  for (const beginning of beginnings) more += growthBy(change, place, beginning);
  const { runs: most } = change.moment.limits ?? DEFAULT_LIMITS;
  const whole = change.runs.length + change.scopes.length + more;
  if (more === 0 || whole <= most) return null;
  return `with it the task would have ${whole} runs and scopes, at most ${most} are allowed`;
}

/** How many runs and scopes are added; none where a block is taken again. */
function growthBy(change: Change, place: number, beginning: Beginning): number {
  if (freeBlock(change, place, beginning) !== undefined) return 0;
  const step = stepAt(change, place);
  const { kind, list = 0, values = null } = beginning;
  return 1 + (step === undefined ? 0 : (listIn(step, { kind, list, values })?.length ?? 0));
}

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
