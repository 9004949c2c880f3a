import type { ActionRun } from '../task/task.js';

/** The run of what failed as a person has it tried again: with all of its attempts and time. */
export function withFreshBudget(run: ActionRun): ActionRun {
  return {
    ...run,
    code: 0,
    error: null,
    message: null,
    endedAt: null,
    spent: 0,
    crashes: 0,
    deadline: null,
    values: null,
  };
}
