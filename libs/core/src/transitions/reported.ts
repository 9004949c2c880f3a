import type { Change } from '../change.js';
import type { ActionRef } from '../event.js';
import type { ActionRun } from '../task.js';

/**
 * The run that a report's token still has the say over, or null when somebody decided otherwise
 * meanwhile.
 */
export function reportedRun(change: Change, ref: ActionRef & { token: number }): ActionRun | null {
  const run = change.run(ref);
  return run?.state === 'running' && run.lease?.token === ref.token ? run : null;
}
