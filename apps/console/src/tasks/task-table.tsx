import type { JSX } from 'preact';
import type { Summary, Unreadable } from '../api/shapes.js';
import { Moment, Span } from '../ui/moment.js';
import { StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import type { Item } from './task-list.js';

interface TaskTableProps {
  readonly items: readonly Item[];
  readonly label: string;
}

/** Tasks as rows that lead to them. */
export function TaskTable({ items, label }: TaskTableProps): JSX.Element {
  return (
    <table class="rows tasks" aria-label={label}>
      <thead>
        <tr>
          {WORDS.tasks.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <Row key={item.taskId} item={item} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ item }: { readonly item: Item }): JSX.Element {
  return isUnreadable(item) ? <UnreadableRow item={item} /> : <TaskRow task={item} />;
}

function isUnreadable(item: Item): item is Unreadable {
  return item.status === 'unreadable';
}

function TaskRow({ task }: { readonly task: Summary }): JSX.Element {
  const { flow, labels, status, taskId, taskMessage, timeCreate, timeEnd, timeStart } = task;
  return (
    <tr>
      <td class="cell-name">
        <TaskLink flow={flow} taskId={taskId} />
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
    </tr>
  );
}

function UnreadableRow({ item }: { readonly item: Unreadable }): JSX.Element {
  return (
    <tr>
      <td class="cell-name">
        <TaskLink flow="?" taskId={item.taskId} />
      </td>
      <td class="cell-state">
        <StateMark state={item.status} />
      </td>
      <td class="cell-message" colSpan={4}>
        {item.reason}
      </td>
    </tr>
  );
}

interface TaskLinkProps {
  readonly flow: string;
  readonly taskId: string;
}

/** Of an id, the end tells tasks apart: the beginning is their time. */
function TaskLink({ flow, taskId }: TaskLinkProps): JSX.Element {
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
