import type { ComponentChildren, JSX } from 'preact';
import type { Summary, Unreadable } from '../api/shapes.js';
import { standingOf } from '../task/standing.js';
import { type ItemWindow, useItemWindow } from '../ui/item-window.js';
import { LongText } from '../ui/long-text.js';
import { Moment, Span } from '../ui/moment.js';
import { ProgressBar } from '../ui/progress-bar.js';
import { Mark, StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import { type Column, USUAL } from './columns.js';
import { type Selection, SelectionBox } from './selection.js';
import type { Item } from './task-list.js';

interface TaskTableProps {
  readonly items: readonly Item[];
  readonly label: string;
  /** Whether there are more than these. */
  readonly hasMore?: boolean;
  /** Default: the usual ones. */
  readonly columns?: readonly Column[];
  /** The tasks that are ticked; absent: none can be. */
  readonly selection?: Selection | undefined;
}

/** Tasks as rows that lead to them. Of a long list, only rows near the window are drawn. */
export function TaskTable(props: TaskTableProps): JSX.Element {
  const { columns = USUAL, hasMore = false, items, label, selection } = props;
  const part = useItemWindow<HTMLTableSectionElement>({
    count: items.length,
    itemPx: ROW_PX,
    keyOf: (index) => items[index]?.taskId ?? '',
    isOfPage: true,
  });
  const { after, box, hold, isPart, items: rows } = part;
  const total = hasMore ? UNKNOWN : items.length + 1;
  const width = columns.length + 1;
  return (
    <table class="rows tasks" aria-label={label} {...(isPart && { 'aria-rowcount': total })}>
      <thead>
        <tr {...(isPart && { 'aria-rowindex': 1 })}>
          {[WORDS.columns.task, ...columns.map((each) => WORDS.columns.names[each])].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        ref={box}
        onFocusCapture={({ target }) => hold(indexOf(target))}
        onBlurCapture={() => hold(null)}>
        {rows.flatMap(({ gap, index }) => {
          const item = items[index];
          if (item === undefined) return [];
          const row = <Row key={item.taskId} {...{ columns, item, index, part, selection }} />;
          const before = <Gap key={`before ${item.taskId}`} height={gap} width={width} />;
          return gap > 0 ? [before, row] : [row];
        })}
        {after > 0 && <Gap key="after" height={after} width={width} />}
      </tbody>
    </table>
  );
}

/** Pixels of most rows. */
const ROW_PX = 45;
/** Of rows, where nobody has counted them. */
const UNKNOWN = -1;

interface GapProps {
  /** In pixels. */
  readonly height: number;
  /** In columns. */
  readonly width: number;
}

/** The place of rows that are not drawn. */
function Gap({ height, width }: GapProps): JSX.Element {
  return (
    <tr aria-hidden="true" class="gap">
      {/* Nothing to be named: it is the room of rows. */}
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label */}
      <td colSpan={width} style={{ height: `${height}px` }} />
    </tr>
  );
}

function indexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('tr') : null;
  const index = row?.dataset['index'];
  return index === undefined ? null : Number(index);
}

interface CellsProps {
  readonly columns: readonly Column[];
  readonly selection: Selection | undefined;
}

interface RowProps extends CellsProps {
  readonly item: Item;
  readonly index: number;
  readonly part: Pick<ItemWindow<HTMLElement>, 'isPart' | 'measure'>;
}

function Row({ columns, index, item, part, selection }: RowProps): JSX.Element {
  const { isPart, measure } = part;
  const place = isPart && { ref: measure, 'data-index': index, 'aria-rowindex': index + 2 };
  return (
    <tr {...place}>
      {isUnreadable(item) ? (
        <NoCells item={item} columns={columns} />
      ) : (
        <TaskCells task={item} {...{ columns, selection }} />
      )}
    </tr>
  );
}

function isUnreadable(item: Item): item is Unreadable {
  return item.status === 'unreadable';
}

function TaskCells({
  columns,
  selection,
  task,
}: CellsProps & { readonly task: Summary }): JSX.Element {
  const { flow, parent, taskId } = task;
  return (
    <>
      <td class={parent === null ? 'cell-name' : 'cell-name is-child'}>
        <TaskLink flow={flow} taskId={taskId} />
        {parent !== null && <ParentLink taskId={parent.taskId} />}
        {selection !== undefined && <SelectionBox task={task} selection={selection} />}
      </td>
      {columns.map((column) => (
        <td key={column} class={`cell-${LOOKS[column] ?? column}`} {...nameOnPhones(column)}>
          {CELLS[column](task)}
        </td>
      ))}
    </>
  );
}

/** Columns that look alike; every other one has a look of its own. */
const LOOKS: Readonly<Partial<Record<Column, string>>> = {
  status: 'state',
  created: 'time',
  ended: 'time',
  took: 'span',
  version: 'span',
  priority: 'span',
};

/** Without the head of the table, its name stands before a value that says nothing by itself. */
function nameOnPhones(column: Column): { 'data-name'?: string } {
  const isNamed = ['ended', 'took', 'version', 'priority'].includes(column);
  return isNamed ? { 'data-name': WORDS.columns.names[column] } : {};
}

type Show = (task: Summary) => ComponentChildren;

const CELLS: Readonly<Record<Column, Show>> = {
  status: (task) => <Mark {...standingOf(task)} />,
  created: ({ timeCreate }) => <Moment at={timeCreate} />,
  ended: ({ timeEnd }) => <Moment at={timeEnd} />,
  took: ({ timeEnd, timeStart }) => <Span from={timeStart} to={timeEnd} />,
  version: ({ flowVersion }) => flowVersion,
  priority: ({ priority }) => priority,
  labels: ({ labels }) => <Labels labels={labels} />,
  message: ({ progress, taskMessage }) => (
    <>
      <LongText text={taskMessage} isTold />
      {progress !== undefined && <ProgressBar name={progress.step} progress={progress} />}
    </>
  ),
};

interface NoCellsProps {
  readonly item: Unreadable;
  readonly columns: readonly Column[];
}

function NoCells({ columns, item }: NoCellsProps): JSX.Element {
  return (
    <>
      <td class="cell-name">
        <TaskLink flow="?" taskId={item.taskId} />
      </td>
      <td class="cell-message" colSpan={Math.max(1, columns.length)}>
        <StateMark state={item.status} /> <LongText text={item.reason} />
      </td>
    </>
  );
}

/** The task whose child task a row is. */
function ParentLink({ taskId }: { readonly taskId: string }): JSX.Element {
  return (
    <a class="child-of" href={`/console/tasks/${taskId}`}>
      {WORDS.tasks.childOf(`…${taskId.slice(-6)}`)}
    </a>
  );
}

interface TaskLinkProps {
  readonly flow: string;
  readonly taskId: string;
}

/** A link that fills its row. Of an id, the end tells tasks apart: the beginning is their time. */
export function TaskLink({ flow, taskId }: TaskLinkProps): JSX.Element {
  return (
    <a class="row-link" href={`/console/tasks/${taskId}`}>
      <bdi class="flow-name">{flow}</bdi> <span class="unseen">{taskId}</span>
      <code title={taskId} aria-hidden="true">{`…${taskId.slice(-12)}`}</code>
    </a>
  );
}

/** Labels as small marks. */
export function Labels({ labels }: Pick<Summary, 'labels'>): JSX.Element {
  return (
    <span class="labels">
      {Object.entries(labels).map(([name, value]) => (
        <span key={name} class="label">
          <bdi>{name}</bdi>=<bdi>{value}</bdi>
        </span>
      ))}
    </span>
  );
}
