import { StepMark } from './marked-steps.js';
import type { Placed } from './step-at.js';

const ENDS = new StepMark(
  ({ succeed }) => succeed !== undefined,
  ({ normal, rollback }) => normal.state === 'succeeded' && rollback?.state === 'none',
);

/** The place of the step that ends the task early; null: none has, or what it did is undone. */
export function earlyEnd(task: Placed): number | null {
  return ENDS.placesDone(task)[0] ?? null;
}
