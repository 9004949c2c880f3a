import { approvalsOf } from './notable-change.js';
import { runIdOf } from '../scopes/run-id.js';
import { maskSealed } from '../secrets/sealed-value.js';
import { DocumentFault, readStoredJson, type Rule } from '../json/shape.js';
import { isFinal, TASK_STATUS, type TaskStatus } from '../task/status.js';
import type { Task } from '../task/task.js';
import { formFault, formOf, list, moment, text } from './form.js';

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

/** The approvals of a task that waits for a person; null: it waits for none. */
export function waitsAsked(task: Task): readonly Approval[] | null {
  const approvals = approvalsAsked(task);
  return waitsForPerson({ approvals, status: task.status }) ? approvals : null;
}

/** The same as JSON text. It changes with notable changes alone. */
export function waitText(task: Task): string | null {
  const approvals = waitsAsked(task);
  return approvals === null ? null : JSON.stringify(approvals);
}

/** An approval as stores keep it beside its task. */
export const APPROVAL = formOf<Approval>({
  step: text,
  title: text,
  roles: list(text),
  since: moment(),
});

/** A list of approvals. */
export const APPROVALS: Rule = {
  holds: (value) =>
    Array.isArray(value) && value.every((one) => formFault(APPROVAL, one, '') === null),
  means: 'a list of approvals',
};

/** The approvals behind the text that `waitText` made. Throws `DocumentFault`. */
export function readWait(text: unknown): readonly Approval[] {
  return text === null ? NONE : checkWaits(readStoredJson(text, 'what it waits for'));
}

/** The value, if it is a list of approvals. Throws `DocumentFault`. */
export function checkWaits(value: unknown): readonly Approval[] {
  if (APPROVALS.holds(value)) return value as readonly Approval[];
  throw new DocumentFault(`what it waits for is not ${APPROVALS.means}`);
}
