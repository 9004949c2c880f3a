import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import type { Approval, Summary } from '../api/shapes.js';
import { useWaitingOperations, WaitingOperations } from '../operations/waiting-operations.js';
import { ACTIONS } from '../task/actions.js';
import type { Item } from '../tasks/task-list.js';
import { Labels, TaskLink } from '../tasks/task-table.js';
import { useWaitingTasks } from '../tasks/waiting-tasks.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { beginningOf, LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';
import { Act, type Acting, HeldTable } from './held-table.js';
import { Head } from '../ui/table-head.js';

/** A question that a task asks. */
interface Asked {
  readonly task: Summary;
  readonly approval: Approval;
}

const ANSWERS = ACTIONS.filter(({ verb }) => verb === 'approve' || verb === 'reject');

interface RowProps {
  readonly asked: Asked;
  readonly onAct: (acting: Acting) => void;
}

/** Everything that waits for a person. */
export function InboxPage(): JSX.Element {
  const { hasMore, isAway, items, more, refusal } = useWaitingTasks();
  const operations = useWaitingOperations();
  // Of the page, and not of a table: that goes when another person has answered its last row.
  const [acting, act] = useState<Acting | null>(null);
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
      <WaitingOperations operations={operations} />
      {items?.length === 0 && operations.length === 0 && <p class="empty">{WORDS.inbox.none}</p>}
      {asked.length > 0 && <AskedTable asked={asked} onAct={act} />}
      {parts.map(([status, title]) => {
        const own = (items ?? []).flatMap((item) =>
          'flow' in item && item.status === status ? [item] : [],
        );
        return own.length === 0 ? null : (
          <HeldTable key={status} {...{ status, title }} items={own} onAct={act} />
        );
      })}
      {hasMore && (
        <button type="button" onClick={more}>
          {WORDS.tasks.more}
        </button>
      )}
      {acting !== null && <Act {...acting} onClose={() => act(null)} />}
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

interface AskedTableProps extends Pick<RowProps, 'onAct'> {
  readonly asked: readonly Asked[];
}

/** Steps that ask for an approval, with an answer to each. */
function AskedTable({ asked, onAct }: AskedTableProps): JSX.Element {
  const { asked: title, askedColumns } = WORDS.inbox;
  return (
    <section class="panel">
      <h2>{`${title} (${asked.length})`}</h2>
      <table class="rows lists" aria-label={title}>
        <Head columns={askedColumns} />
        <tbody>
          {asked.map((one) => (
            <Row key={`${one.task.taskId} ${one.approval.step}`} asked={one} onAct={onAct} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ asked: { approval, task }, onAct }: RowProps): JSX.Element {
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
              onClick={() => onAct({ taskId, step: approval.step, action })}>
              {action.words}
            </button>
          ))}
        </div>
      </td>
    </tr>
  );
}
