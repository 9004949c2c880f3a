import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { OperationDialog } from '../operations/operation-dialog.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { SelectField } from '../ui/fields.js';
import { WORDS } from '../words.js';
import { type Column, COLUMNS, useColumns } from './columns.js';
import { Filters } from './filters.js';
import { type Order, searchAddress } from './saved-views.js';
import { readSearch, type Search } from './search.js';
import { type Selection, SelectionBar, useSelection } from './selection.js';
import { type TaskList, useNear, useTaskList } from './task-list.js';
import { TaskTable } from './task-table.js';
import { ViewBar } from './view-bar.js';

interface ColumnMenuProps {
  readonly columns: readonly Column[];
  readonly onChoose: (columns: readonly Column[]) => void;
}

/** All tasks, narrowed by a search that stands in the address. */
export function TasksPage(): JSX.Element {
  const { query, route } = useLocation();
  const text = query['q'] ?? '';
  const search = readSearch(text);
  const order: Order = query['order'] === 'oldest' ? 'oldest' : 'newest';
  const members = order === 'oldest' ? [...search.members, OLDEST] : search.members;
  const list = useTaskList(members);
  const change = (next: string, way = order): void => {
    if (next === text && way === order) return;
    // From the page of a task one comes back to the list.
    route(searchAddress(next, { order: way }), readSearch(next).taskId === null);
  };
  const [columns, choose] = useColumns();
  const ticked = useSelection(text);
  const selection = useRights().may('operator') ? ticked : undefined;
  const [isActing, setActing] = useState(false);
  const q = wholeSearch(search);
  const { may } = useRights();
  useEffect(() => {
    if (search.taskId !== null) route(searchAddress(text), true);
  }, [search.taskId]);
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
      <div class="list-look">
        <ViewBar text={text} name={query['view'] ?? null} />
        <SelectField
          name={WORDS.order.title}
          value={order}
          choices={WORDS.order.choices}
          onPick={(way) => change(text, way)}
        />
        <ColumnMenu columns={columns} onChoose={choose} />
      </div>
      {isActing && q !== null && <OperationDialog q={q} onClose={() => setActing(false)} />}
      <AwayNotice isAway={list.isAway} />
      {list.refusal && <RefusalNotice refusal={list.refusal} />}
      <Tasks list={list} isFiltered={text !== ''} {...{ columns, selection }} />
      {selection && <SelectionBar selection={selection} items={list.items ?? []} />}
    </>
  );
}

/** The search as the server's grammar alone has it; null: there is none, or it says more. */
function wholeSearch({ members }: Search): string | null {
  const [[name, value] = [], ...others] = members;
  return name === 'q' && others.length === 0 ? (value ?? null) : null;
}

const OLDEST = ['order', 'oldest'] as const;

interface TasksProps {
  readonly list: TaskList;
  readonly columns: readonly Column[];
  readonly selection: Selection | undefined;
  readonly isFiltered: boolean;
}

function Tasks({ columns, isFiltered, list, selection }: TasksProps): JSX.Element | null {
  const { hasMore, items, more } = list;
  const near = useNear(more);
  if (items === null) return list.refusal ? null : <LoadingRows label={WORDS.pages.tasks} />;
  if (items.length === 0) return isFiltered ? <p class="empty">{WORDS.tasks.none}</p> : <NoTasks />;
  return (
    <>
      <TaskTable label={WORDS.pages.tasks} {...{ columns, hasMore, items, selection }} />
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

/** Chooses the columns of the list of tasks. */
function ColumnMenu({ columns, onChoose }: ColumnMenuProps): JSX.Element {
  const turn = (column: Column, isOn: boolean): void => {
    onChoose(COLUMNS.filter((each) => (each === column ? isOn : columns.includes(each))));
  };
  const { choose, names } = WORDS.columns;
  return (
    <details class="more columns-menu">
      <summary>{choose}</summary>
      <div class="more-list" role="group" aria-label={choose}>
        {COLUMNS.map((column) => (
          <label key={column} class="choice">
            <input
              type="checkbox"
              checked={columns.includes(column)}
              onChange={({ currentTarget }) => turn(column, currentTarget.checked)}
            />
            {names[column]}
          </label>
        ))}
      </div>
    </details>
  );
}
