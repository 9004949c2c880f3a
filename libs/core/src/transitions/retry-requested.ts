import { catchUp } from '../advance.js';
import type { Change } from '../change.js';
import type { RetryRequested } from '../event.js';
import { settleAlert } from '../raise-alert.js';
import { TASK_STATUS } from '../status.js';
import { APPLIED, type Verdict } from '../verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';

const RULE: ActionRule = {
  kind: 'retry_requested',
  verb: 'retry',
  legalIn: [TASK_STATUS.rollback_failed],
};

/** A person gives the failed rollbacks a fresh budget of attempts, restarts and time. */
export function retryRequested(change: Change, event: RetryRequested): Verdict {
  const verdict = admitAction(change, event, RULE);
  if (verdict !== null) return verdict;
  change.note(RULE.kind, { actor: event.actor, message: event.reason });
  settleAlert(change);
  change.runs.forEach(({ rollback }, step) => {
    if (rollback?.state !== 'failed') return;
    const fresh = change.queue({ direction: 'rollback', step }, rollback, change.orderNow);
    fresh.code = 0;
    fresh.message = null;
    fresh.endedAt = null;
    fresh.spent = 0;
    fresh.crashes = 0;
    fresh.deadline = null;
  });
  change.endHold();
  catchUp(change);
  return APPLIED;
}
