import type { LostReason } from '#core';
import { Problem } from '#http-server';

const REASONS: Readonly<Record<LostReason, string>> = {
  timed_out: 'its time was over',
  rolled_back: 'the task goes back',
  terminated: 'the task was terminated',
  superseded: 'the action was handed out again',
  handed_back: 'it was handed back',
};

/** The problem that a claim is over; its report was kept. */
export function leaseLost(reason: LostReason): Problem {
  const detail = `The claim is over: ${REASONS[reason]}. The report was kept with its attempt.`;
  return new Problem('LEASE_LOST', detail, { extension: { reason, recorded: true } });
}

/** The problem that another outcome stays. */
export function outcomeDiffers(): Problem {
  const detail = 'Another outcome of this claim was reported before, and stays.';
  return new Problem('OUTCOME_DIFFERS', detail);
}

/** The problem that a task is not there any more. */
export function taskGone(): Problem {
  return new Problem('TASK_GONE', 'The task of this claim was removed.');
}
