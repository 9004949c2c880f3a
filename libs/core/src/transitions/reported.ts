import type { Change } from '../change/change.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ActionRun } from '../task/action-run.js';

/**
 * The run that a report's token still has the say over, or null when a person decided otherwise
 * meanwhile.
 */
export function reportedRun(change: Change, ref: ActionRef & { token: number }): ActionRun | null {
  const run = change.run(ref);
  return run?.state === 'running' && run.lease?.token === ref.token ? run : null;
}

/** The run of an attempt that was refused before its command was entered, counted as that. */
export function countRefused(change: Change, ref: ActionRef, run: ActionRun): ActionRun {
  const next = change.edit(ref, run, run.state);
  next.refused += 1;
  return next;
}
