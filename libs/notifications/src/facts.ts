import { statusName, type Task, TASK_STATUS } from '#core';
import { approvalsAsked, type TaskSummary } from '#core/stored';
import { type NotificationKind, TASK_NOTIFICATION_KINDS } from '#ports';

/** Something that a person may want to be told of. */
export interface Fact {
  readonly kind: NotificationKind;
  /** Tells it from a later one whose end was not seen. */
  readonly key: string;
  readonly message: string;
  /** It is over already, and told all the same, unless it was. Its key never comes again. */
  readonly isOver?: boolean;
}

/** The task, module or schedule that facts are about, and the kinds that were looked for. */
export interface Subject {
  /** Id of a task, or name of a module or schedule. */
  readonly id: string;
  /** Flow of the task; null: it is none. */
  readonly flow: string | null;
  /** Grows as the subject moves. */
  readonly mark: number;
  readonly kinds: readonly NotificationKind[];
  readonly facts: readonly Fact[];
}

/** Whether a kind is about tasks. */
export function isOfTasks(kind: NotificationKind): boolean {
  return (TASK_NOTIFICATION_KINDS as readonly NotificationKind[]).includes(kind);
}

/**
 * The facts of a task. `task`: the whole of it, at the same revision or a later one; null: no rule
 * wants facts that only the whole tells, and they are left out.
 */
export function subjectOf(summary: TaskSummary, task: Task | null): Subject {
  const { flow, revision: mark, taskId: id } = summary;
  const { status } = summary;
  // Of a task on its way, the change alone does not tell whether it is in time.
  const isOnWay = status === TASK_STATUS.not_started || status === TASK_STATUS.running;
  const kinds = TASK_NOTIFICATION_KINDS.filter((kind) => {
    return kind === 'deadline_at_risk' ? !isOnWay : kind !== 'waiting' || task !== null;
  });
  return { id, flow, mark, kinds, facts: [...statusFacts(summary), ...waitingFacts(task)] };
}

function statusFacts({ endedAt, flow, message, status }: TaskSummary): readonly Fact[] {
  const why = message === null ? '' : `: ${message}`;
  switch (status) {
    case TASK_STATUS.succeeded:
      return [{ kind: 'succeeded', key: `${endedAt}`, message: `A task of ${flow} succeeded` }];
    case TASK_STATUS.rolled_back:
    case TASK_STATUS.terminated: {
      const how = statusName(status).replace('_', ' ');
      return [{ kind: 'failed', key: `${endedAt}`, message: `A task of ${flow} was ${how}${why}` }];
    }
    case TASK_STATUS.on_hold:
      return [{ kind: 'held', key: '', message: `A task of ${flow} waits for a person${why}` }];
    case TASK_STATUS.rollback_failed:
      return [{ kind: 'stuck', key: '', message: `A rollback of ${flow} failed${why}` }];
    default:
      return [];
  }
}

function waitingFacts(task: Task | null): readonly Fact[] {
  if (task === null) return [];
  const { flow } = task.plan;
  return approvalsAsked(task).map(({ step, title }) => {
    return {
      kind: 'waiting',
      key: step,
      message: `A task of ${flow} waits for an approval: ${title}`,
    };
  });
}
