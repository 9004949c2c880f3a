import type { JSX } from 'preact';
import { useWaitingOperations, WaitingOperations } from '../operations/waiting-operations.js';
import { useTaskList } from '../tasks/task-list.js';
import { TaskTable } from '../tasks/task-table.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';

/** Statuses in which nothing happens until a person acts. */
export const WAITING = [['status', 'rollback_failed,on_hold']] as const;

/** Everything that waits for a person. */
export function InboxPage(): JSX.Element {
  const { isAway, items, refusal } = useTaskList(WAITING);
  const operations = useWaitingOperations();
  const parts = [
    ['rollback_failed', WORDS.inbox.failed],
    ['on_hold', WORDS.inbox.held],
  ] as const;
  return (
    <>
      <PageHead title={WORDS.pages.inbox} />
      <p class="faint">{WORDS.inbox.about}</p>
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {operations.length > 0 && <WaitingOperations operations={operations} />}
      {items?.length === 0 && operations.length === 0 && <p class="empty">{WORDS.inbox.none}</p>}
      {parts.map(([status, title]) => {
        const own = (items ?? []).filter((item) => item.status === status);
        if (own.length === 0) return null;
        return (
          <section key={status} class="panel">
            <h2>{`${title} (${own.length})`}</h2>
            <TaskTable items={own} label={title} />
          </section>
        );
      })}
    </>
  );
}
