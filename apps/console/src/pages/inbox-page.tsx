import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import type { Approval, Summary } from '../api/shapes.js';
import { useWaitingOperations, WaitingOperations } from '../operations/waiting-operations.js';
import { ACTIONS, type TaskAction } from '../task/actions.js';
import type { Item } from '../tasks/task-list.js';
import { Labels, TaskLink } from '../tasks/task-table.js';
import { useWaitingTasks } from '../tasks/waiting-tasks.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { beginningOf, LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';
import { Act, HeldTable } from './held-table.js';
import { Head } from '../ui/table-head.js';

/** A question that a task asks. */
interface Asked {
  readonly task: Summary;
  readonly approval: Approval;
}

const ANSWERS = ACTIONS.filter(({ verb }) => verb === 'approve' || verb === 'reject');

/** An answer that a person is about to give. */
interface Answering extends Asked {
  readonly action: TaskAction;
}

interface RowProps {
  readonly asked: Asked;
  readonly onAnswer: (action: TaskAction) => void;
}

/** Everything that waits for a person. */
export function InboxPage(): JSX.Element {
  const { hasMore, isAway, items, more, refusal } = useWaitingTasks();
  const operations = useWaitingOperations();
  const asked = askedIn(items ?? []);
  const parts = [
    ['rollback_failed', WORDS.inbox.failed],
    ['on_hold', WORDS.inbox.held],
  ] as const;
  return (
    <>
      <PageHead title={WORDS.pages.inbox} />
      <p class="faint about">{WORDS.inbox.about}</p>
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {items === null && !refusal && <LoadingRows label={WORDS.pages.inbox} />}
      {operations.length > 0 && <WaitingOperations operations={operations} />}
      {items?.length === 0 && operations.length === 0 && <p class="empty">{WORDS.inbox.none}</p>}
      {asked.length > 0 && <AskedTable asked={asked} />}
      {parts.map(([status, title]) => {
        const own = (items ?? []).flatMap((item) =>
          'flow' in item && item.status === status ? [item] : [],
        );
        return own.length === 0 ? null : (
          <HeldTable key={status} {...{ status, title }} items={own} />
        );
      })}
      {hasMore && (
        <button type="button" onClick={more}>
          {WORDS.tasks.more}
        </button>
      )}
    </>
  );
}

/** The questions of these tasks, in their order. */
function askedIn(items: readonly Item[]): readonly Asked[] {
  return items.flatMap((item) => {
    if (!('approvals' in item)) return [];
    return item.approvals.map((approval) => ({ task: item, approval }));
  });
}

/** Steps that ask for an approval, with an answer to each. */
function AskedTable({ asked }: { readonly asked: readonly Asked[] }): JSX.Element {
  const [answering, answer] = useState<Answering | null>(null);
  const { asked: title, askedColumns } = WORDS.inbox;
  return (
    <section class="panel">
      <h2>{`${title} (${asked.length})`}</h2>
      <table class="rows lists" aria-label={title}>
        <Head columns={askedColumns} />
        <tbody>
          {asked.map((one) => (
            <Row
              key={`${one.task.taskId} ${one.approval.step}`}
              asked={one}
              onAnswer={(action) => answer({ ...one, action })}
            />
          ))}
        </tbody>
      </table>
      {answering !== null && (
        <Act
          action={answering.action}
          taskId={answering.task.taskId}
          step={answering.approval.step}
          onClose={() => answer(null)}
        />
      )}
    </section>
  );
}

function Row({ asked: { approval, task }, onAnswer }: RowProps): JSX.Element {
  const { anybody, askedColumns: columns } = WORDS.inbox;
  const { flow, taskId } = task;
  const { may } = useRights();
  return (
    <tr>
      <td class="cell-name">
        <LongText text={approval.title} />
        <div>
          <Labels labels={task.labels} />
        </div>
      </td>
      <td data-title={columns[1]}>
        <TaskLink flow={flow} taskId={taskId} />
      </td>
      <td data-title={columns[2]}>
        <bdi>{approval.roles.join(', ') || anybody}</bdi>
      </td>
      <td class="cell-time">
        <Moment at={approval.since} />
      </td>
      <td>
        <div class="buttons">
          {(may('operator') ? ANSWERS : []).map((action) => (
            <button
              key={action.verb}
              type="button"
              aria-label={`${action.words}: ${beginningOf(approval.title)}`}
              onClick={() => onAnswer(action)}>
              {action.words}
            </button>
          ))}
        </div>
      </td>
    </tr>
  );
}
