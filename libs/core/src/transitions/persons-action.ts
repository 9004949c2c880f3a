import type { Change } from '../change/change.js';
import { isImport } from '../task/import-action.js';
import type { PersonsAction } from '../task/event.js';
import type { JournalKind } from '../task/journal.js';
import { statusName, type TaskStatus } from '../task/status.js';
import type { DoneAction } from '../task/task.js';
import { ignored, illegal, type Verdict } from '../task/verdict.js';

/** Idempotency keys of persons' actions that a task remembers beyond `RATE_SPAN_MS`, at most. */
const KEYS_MAX = 50;

/** Actions of one kind that persons may do to a task within `RATE_SPAN_MS`. */
const ACTIONS_MAX = 10;
const RATE_SPAN_MS = 60_000;

/** The rule by which a person's action is admitted and noted. */
export interface ActionRule {
  readonly kind: JournalKind;
  /** Word for people: `rollback`, `terminate`, `retry`, `skip`, `reset`, `pause`, `resume`. */
  readonly verb: string;
  readonly legalIn: readonly TaskStatus[];
  /** It can be done only so often in a task's life that nothing need bound its rate. */
  readonly isRare?: boolean;
}

/**
 * Refuses an action that is not legal now or comes too often, ignores a repeated one, else
 * remembers its key and returns null. Each kind is counted for itself: a flood of one never bars
 * another.
 */
export function admitAction(
  change: Change,
  event: PersonsAction,
  rule: ActionRule,
): Verdict | null {
  const { key } = event;
  const isDone = key !== null && change.doneActions.some((done) => done.key === key);
  if (isDone) return ignored('repeated');
  if (!rule.legalIn.includes(change.status)) {
    const legal = rule.legalIn.map(statusName).join(', ');
    const now = statusName(change.status);
    const message = `${rule.verb} is legal while a task is ${legal}; this one is ${now}`;
    return illegal(message);
  }
  const waitMs = rule.isRare === true ? 0 : waitBefore(change, rule.verb);
  if (waitMs > 0) {
    const message = `${rule.verb} was done ${ACTIONS_MAX} times to this task within a minute`;
    return { kind: 'refused', code: 'TOO_MANY_ACTIONS', message, retryAfterMs: waitMs };
  }
  change.requests.doneActions = remembered(change, { key, action: rule.verb, at: change.now });
  return null;
}

/** Milliseconds until another such action may be done. */
function waitBefore({ doneActions, now }: Change, verb: string): number {
  const recent = doneActions.filter(({ action, at }) => action === verb && isRecent(at, now));
  const first = recent.at(-ACTIONS_MAX);
  return first === undefined ? 0 : first.at + RATE_SPAN_MS - now;
}

/**
 * The newest actions that had a key, by which a repetition is known, all that are recent, and that
 * the task was imported.
 */
function remembered({ doneActions, now }: Change, done: DoneAction): readonly DoneAction[] {
  const all = [...doneActions, done];
  return all.filter(({ action, at, key }, position) => {
    return (
      isImport({ action }) ||
      isRecent(at, now) ||
      (key !== null && position >= all.length - KEYS_MAX)
    );
  });
}

function isRecent(at: number, now: number): boolean {
  return at > now - RATE_SPAN_MS;
}
