import type { Change } from '../change/change.js';
import type { PauseRequested } from '../task/event.js';
import { TASK_STATUS } from '../task/status.js';
import { APPLIED, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'pause_requested',
  verb: 'pause',
  legalIn: [TASK_STATUS.not_started, TASK_STATUS.running, TASK_STATUS.rolling_back],
};

/**
 * A person pauses the task: what runs ends, nothing is started. Messages that are on their way come
 * to nothing, so resuming sends them again.
 */
export function pauseRequested(change: Change, event: PauseRequested): Verdict {
  const verdict = admitAction(change, event, RULE);
  if (verdict !== null) return verdict;
  const { actor: by, reason } = event;
  change.note(RULE.kind, { actor: by, message: reason });
  change.pause({ at: change.now, by, reason });
  return APPLIED;
}
