import type { Change } from '../change.js';
import type { PersonsAction } from '../event.js';
import type { JournalKind } from '../journal.js';
import { statusName, type TaskStatus } from '../status.js';
import { ignored, type Verdict } from '../verdict.js';

/** Most idempotency keys of persons' actions that a task remembers. */
const KEYS_MAX = 50;

/** What a person's action needs to be judged and told. */
export interface ActionRule {
  readonly kind: JournalKind;
  /** Word for people: `rollback`, `terminate`, `retry`, `skip`. */
  readonly verb: string;
  readonly legalIn: readonly TaskStatus[];
}

/**
 * Refuses an action that is not legal now, ignores a repeated one, else notes it and returns null.
 */
export function admitAction(
  change: Change,
  event: PersonsAction,
  rule: ActionRule,
): Verdict | null {
  const done = change.doneActions.find(({ key }) => key === event.key);
  if (event.key !== null && done !== undefined) return ignored('repeated');
  if (!rule.legalIn.includes(change.status)) {
    const legal = rule.legalIn.map(statusName).join(', ');
    const now = statusName(change.status);
    const message = `${rule.verb} is legal while a task is ${legal}; this one is ${now}`;
    return { kind: 'refused', code: 'ILLEGAL_ACTION', message };
  }
  if (event.key !== null) {
    const action = { key: event.key, action: rule.verb };
    change.doneActions = [...change.doneActions, action].slice(-KEYS_MAX);
  }
  return null;
}
