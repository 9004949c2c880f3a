import type { Change } from '../change/change.js';
import { listIn, stepAt } from '../scopes/step-at.js';
import { type Beginning, freeBlock } from './scope-change.js';
import { DEFAULT_LIMITS } from '../task/task-size.js';

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
