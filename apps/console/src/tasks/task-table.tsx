import type { JSX } from 'preact';
import type { Summary, Unreadable } from '../api/shapes.js';
import { Moment, Span } from '../ui/moment.js';
import { StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import { type RowWindow, useRowWindow } from './row-window.js';
import type { Item } from './task-list.js';

interface TaskTableProps {
  readonly items: readonly Item[];
  readonly label: string;
  /** Whether there are more than these. */
  readonly hasMore?: boolean;
}

/** Tasks as rows that lead to them. Of a long list, only rows near the window are drawn. */
export function TaskTable({ hasMore = false, items, label }: TaskTableProps): JSX.Element {
  const part = useRowWindow(items.length, (index) => items[index]?.taskId ?? '');
  const { after, body, hold, isPart, rows } = part;
  const total = hasMore ? UNKNOWN : items.length + 1;
  return (
    <table class="rows tasks" aria-label={label} {...(isPart && { 'aria-rowcount': total })}>
      <thead>
        <tr {...(isPart && { 'aria-rowindex': 1 })}>
          {WORDS.tasks.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        ref={body}
        onFocusCapture={({ target }) => hold(indexOf(target))}
        onBlurCapture={() => hold(null)}
      >
        {rows.flatMap(({ gap, index }) => {
          const item = items[index];
          if (item === undefined) return [];
          const row = <Row key={item.taskId} {...{ item, index, part }} />;
          return gap > 0 ? [<Gap key={`before ${item.taskId}`} height={gap} />, row] : [row];
        })}
        {after > 0 && <Gap key="after" height={after} />}
      </tbody>
    </table>
  );
}

/** Of rows, where nobody has counted them. */
const UNKNOWN = -1;

/** The place of rows that are not drawn. */
function Gap({ height }: { readonly height: number }): JSX.Element {
  return (
    <tr aria-hidden="true" class="gap">
      {/* Nothing to be named: it is the room of rows. */}
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label */}
      <td colSpan={WORDS.tasks.columns.length} style={{ height: `${height}px` }} />
    </tr>
  );
}

function indexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('tr') : null;
  const index = row?.dataset['index'];
  return index === undefined ? null : Number(index);
}

interface RowProps {
  readonly item: Item;
  readonly index: number;
  readonly part: RowWindow;
}

function Row({ index, item, part }: RowProps): JSX.Element {
  const { isPart, measure } = part;
  const place = isPart && { ref: measure, 'data-index': index, 'aria-rowindex': index + 2 };
  return (
    <tr {...place}>{isUnreadable(item) ? <NoCells item={item} /> : <TaskCells task={item} />}</tr>
  );
}

function isUnreadable(item: Item): item is Unreadable {
  return item.status === 'unreadable';
}

function TaskCells({ task }: { readonly task: Summary }): JSX.Element {
  const { flow, labels, parent, status, taskId } = task;
  const { taskMessage, timeCreate, timeEnd, timeStart } = task;
  return (
    <>
      <td class="cell-name">
        <TaskLink flow={flow} taskId={taskId} />
        {parent !== null && <ParentLink taskId={parent.taskId} />}
      </td>
      <td class="cell-state">
        <StateMark state={status} />
      </td>
      <td class="cell-time">
        <Moment at={timeCreate} />
      </td>
      <td class="cell-span" data-name={WORDS.tasks.columns[3]}>
        <Span from={timeStart} to={timeEnd} />
      </td>
      <td class="cell-labels">
        <Labels labels={labels} />
      </td>
      <td class="cell-message">{taskMessage}</td>
    </>
  );
}

function NoCells({ item }: { readonly item: Unreadable }): JSX.Element {
  return (
    <>
      <td class="cell-name">
        <TaskLink flow="?" taskId={item.taskId} />
      </td>
      <td class="cell-state">
        <StateMark state={item.status} />
      </td>
      <td class="cell-message" colSpan={4}>
        {item.reason}
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
      <span class="flow-name">{flow}</span> <span class="unseen">{taskId}</span>
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
          {`${name}=${value}`}
        </span>
      ))}
    </span>
  );
}
