import { StepMark } from './marked-steps.js';
import type { Task } from '../task/task.js';

const ENDS = new StepMark(
  ({ succeed }) => succeed !== undefined,
  ({ normal, rollback }) => normal.state === 'succeeded' && rollback?.state === 'none',
);

/** The place of the step that ends the task early; null: none has, or what it did is undone. */
export function earlyEnd(task: Pick<Task, 'plan' | 'runs' | 'scopes'>): number | null {
  return ENDS.placesDone(task)[0] ?? null;
}
