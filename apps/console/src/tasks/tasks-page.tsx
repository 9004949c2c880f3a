import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { OperationDialog } from '../operations/operation-dialog.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';
import { Filters } from './filters.js';
import { searchAddress } from './saved-views.js';
import { readSearch, type Search } from './search.js';
import { type TaskList, useNear, useTaskList } from './task-list.js';
import { TaskTable } from './task-table.js';
import { ViewBar } from './view-bar.js';

/** All tasks, narrowed by a search that stands in the address. */
export function TasksPage(): JSX.Element {
  const { query, route } = useLocation();
  const text = query['q'] ?? '';
  const search = readSearch(text);
  const list = useTaskList(search.members);
  const change = (next: string): void => {
    if (next === text) return;
    route(searchAddress(next), true);
  };
  const { taskId } = search;
  const [isActing, setActing] = useState(false);
  const q = wholeSearch(search);
  const { may } = useRights();
  useEffect(() => {
    if (taskId !== null) route(`/console/tasks/${taskId}`);
  }, [taskId]);
  return (
    <>
      <PageHead title={WORDS.pages.tasks}>
        {!list.isAway && list.items !== null && <span class="live">{WORDS.tasks.live}</span>}
        {q !== null && may('operator') && (
          <button type="button" onClick={() => setActing(true)}>
            {WORDS.operations.act}
          </button>
        )}
      </PageHead>
      <Filters text={text} items={list.items ?? []} onChange={change} />
      <ViewBar text={text} name={query['view'] ?? null} />
      {isActing && q !== null && <OperationDialog q={q} onClose={() => setActing(false)} />}
      <AwayNotice isAway={list.isAway} />
      {list.refusal && <RefusalNotice refusal={list.refusal} />}
      <Tasks list={list} isFiltered={text !== ''} />
    </>
  );
}

/** The search as the server's grammar alone has it; null: there is none, or it says more. */
function wholeSearch({ members }: Search): string | null {
  const [[name, value] = [], ...others] = members;
  return name === 'q' && others.length === 0 ? (value ?? null) : null;
}

interface TasksProps {
  readonly list: TaskList;
  readonly isFiltered: boolean;
}

function Tasks({ isFiltered, list }: TasksProps): JSX.Element | null {
  const { hasMore, items, more } = list;
  const near = useNear(more);
  if (items === null) return list.refusal ? null : <p class="faint">{WORDS.loading}</p>;
  if (items.length === 0) return isFiltered ? <p class="empty">{WORDS.tasks.none}</p> : <NoTasks />;
  return (
    <>
      <TaskTable items={items} label={WORDS.pages.tasks} hasMore={hasMore} />
      <div ref={near} class="list-end">
        {hasMore && (
          <button type="button" onClick={more}>
            {WORDS.tasks.more}
          </button>
        )}
      </div>
    </>
  );
}

function NoTasks(): JSX.Element {
  return (
    <div class="empty">
      <p>{WORDS.tasks.noneYet}</p>
      <p>
        <code>{WORDS.tasks.noneYetCommand}</code>
      </p>
    </div>
  );
}
