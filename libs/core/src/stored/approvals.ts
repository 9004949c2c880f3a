import { approvalsOf } from './notable-change.js';
import { runIdOf } from '../scopes/run-id.js';
import { maskSealed } from '../secrets/sealed-value.js';
import {
  DocumentFault,
  faultIn,
  MOMENT,
  readStoredJson,
  type Rule,
  rulesOf,
  TEXT,
  TEXT_LIST,
} from '../json/shape.js';
import { isFinal, TASK_STATUS, type TaskStatus } from '../task/status.js';
import type { Task } from '../task/task.js';

/** A step that waits for a person's yes or no, as lists show it. */
export interface Approval {
  /** Id of the step's run, by which an answer addresses it. */
  readonly step: string;
  /** The question; cut after 300 characters, secrets masked. */
  readonly title: string;
  /** Roles that may answer; empty: whoever may act on the task. */
  readonly roles: readonly string[];
  /** When it was asked, milliseconds since 1970. */
  readonly since: number;
}

/** Approvals that a list shows of one task. */
const SHOWN_MAX = 10;
const TITLE_MAX = 300;

const NONE: readonly Approval[] = Object.freeze([]);

/** Statuses in which nothing happens until a person acts. */
const HELD: ReadonlySet<TaskStatus> = new Set([TASK_STATUS.rollback_failed, TASK_STATUS.on_hold]);

/** The approvals that a task waits for, the first ten of them. */
export function approvalsAsked(task: Task): readonly Approval[] {
  if (isFinal(task.status)) return NONE;
  const places = approvalsOf(task);
  return places.length === 0 ? NONE : places.slice(0, SHOWN_MAX).map((at) => askedAt(task, at));
}

function askedAt(task: Task, { place, step }: ReturnType<typeof approvalsOf>[number]): Approval {
  const { values, startedAt } = task.runs[place]?.normal ?? {};
  const asked = values?.['title'];
  const title = typeof asked === 'string' ? asked : step.title;
  return {
    step: runIdOf(task, place),
    title: maskSealed(title).slice(0, TITLE_MAX),
    roles: step.roles,
    since: startedAt ?? task.plan.createdAt,
  };
}

/** Whether a task waits for a person: for an approval, on hold, or after a failed rollback. */
export function waitsForPerson({
  approvals,
  status,
}: {
  readonly approvals: readonly Approval[];
  readonly status: TaskStatus;
}): boolean {
  return HELD.has(status) || (approvals.length > 0 && !isFinal(status));
}

/**
 * JSON text of the approvals of a task that waits for a person, which a store keeps beside it.
 * Null: it waits for none. It changes with notable changes alone.
 */
export function waitText(task: Task): string | null {
  const approvals = approvalsAsked(task);
  return waitsForPerson({ approvals, status: task.status }) ? JSON.stringify(approvals) : null;
}

const APPROVAL = rulesOf<Approval>({
  step: TEXT,
  title: TEXT,
  roles: TEXT_LIST,
  since: MOMENT,
});

/** A list of approvals. */
export const APPROVALS: Rule = {
  holds: (value) =>
    Array.isArray(value) && value.every((one) => faultIn(APPROVAL, one, '') === null),
  means: 'a list of approvals',
};

/** The approvals behind such a text. Throws `DocumentFault`. */
export function readWait(text: unknown): readonly Approval[] {
  if (text === null) return NONE;
  const approvals = readStoredJson(text, 'what it waits for');
  if (APPROVALS.holds(approvals)) return approvals as readonly Approval[];
  throw new DocumentFault(`what it waits for is not ${APPROVALS.means}`);
}
