import { hasFailed } from '../task/action-run.js';
import type { ActionRef } from '../task/action-ref.js';
import type { Task } from '../task/task.js';
import type { LostReason } from '../task/worker-report.js';
import { runOf } from './dispatch.js';
import { wantsAction } from './step-at.js';

/** The parts of a task from which follows why a claim is void. */
type Judged = Parameters<typeof wantsAction>[0] & Parameters<typeof runOf>[0] & Pick<Task, 'plan'>;

/** Why a claim of an action, which has ended without an outcome, gives no right any more. */
export function lostReason(task: Judged, ref: ActionRef & { readonly token: number }): LostReason {
  const run = runOf(task, ref);
  if (task.outcome === 'terminated') return 'terminated';
  if (task.outcome === 'succeeded') return 'superseded';
  if (run?.expired?.token === ref.token && run.expired.isHandedBack) return 'handed_back';
  if (run === null || !wantsAction(task, ref)) return 'rolled_back';
  if (run.expired?.token === ref.token) return 'timed_out';
  return hasFailed(run) ? 'timed_out' : 'superseded';
}
