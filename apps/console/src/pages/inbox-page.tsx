import type { JSX } from 'preact';
import { useWaitingOperations, WaitingOperations } from '../operations/waiting-operations.js';
import { useWaitingTasks } from '../tasks/waiting-tasks.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';
import { askedIn, AskedTable } from './asked-table.js';
import { HeldTable } from './held-table.js';

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
