import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Step, Summary, Task, Unreadable } from '../api/shapes.js';
import { Head } from '../pages/listed-page.js';
import { Span } from '../ui/moment.js';
import { RefusalNotice } from '../ui/notices.js';
import { usePolled } from '../ui/polled.js';
import { Scrolled } from '../ui/scrolled.js';
import { StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import { isFinal } from './steps.js';

interface ChildTasksProps {
  readonly task: Pick<Task, 'revision' | 'status' | 'taskId'>;
  /** Id of the run of the step. */
  readonly step: string;
  readonly counts: NonNullable<Step['children']>;
}

/** Child tasks on a page. */
const PAGE = 20;
const EVERY_MS = 3_000;

/** How the tasks stand that do the work of a step: counts, and each with its state, in pages. */
export function ChildTasks({ counts, step, task }: ChildTasksProps): JSX.Element {
  const [status, filter] = useState('');
  // The cursors of the pages before this one.
  const [cursors, turn] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({ parent: task.taskId, limit: `${PAGE}` });
  if (status !== '') query.set('status', status);
  if (cursor !== undefined) query.set('cursor', cursor);
  const key = `${query} ${isFinal(task.status) ? task.revision : ''}`;
  const { refusal, value } = usePolled(key, (signal) => api.tasks(query, signal), EVERY_MS);
  const { next, none, previous } = WORDS.childTasks;
  const items = (value?.items ?? []).filter((item) => isOf(item, step));
  const nextCursor = value?.page.nextCursor ?? null;
  const choose = (chosen: string): void => {
    turn([]);
    filter(chosen);
  };
  return (
    <div class="child-tasks">
      <p>
        <a href={`/console/tasks?q=parent%3A${task.taskId}`}>{WORDS.step.children}</a>
        {`: ${WORDS.children(counts)}`}
      </p>
      <StatusFilter value={status} onChoose={choose} />
      {refusal !== null && <RefusalNotice refusal={refusal} />}
      {items.length === 0 ? value !== null && <p class="faint">{none}</p> : <Rows items={items} />}
      {(cursors.length > 0 || nextCursor !== null) && (
        <p class="pager">
          <button
            type="button"
            disabled={cursors.length === 0}
            onClick={() => turn(cursors.slice(0, -1))}
          >
            {previous}
          </button>
          <button
            type="button"
            disabled={nextCursor === null}
            onClick={() => nextCursor !== null && turn([...cursors, nextCursor])}
          >
            {next}
          </button>
        </p>
      )}
    </div>
  );
}

/** Several steps of a task may have child tasks. */
function isOf(item: Summary | Unreadable, step: string): boolean {
  return !('parent' in item) || item.parent?.step === step;
}

interface StatusFilterProps {
  readonly value: string;
  readonly onChoose: (status: string) => void;
}

function StatusFilter({ onChoose, value }: StatusFilterProps): JSX.Element {
  const id = useId();
  const { filter, filters } = WORDS.childTasks;
  return (
    <p>
      <label for={id}>{filter} </label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {filters.map(([status, words]) => (
          <option key={status} value={status}>
            {words}
          </option>
        ))}
      </select>
    </p>
  );
}

function Rows({ items }: { readonly items: readonly (Summary | Unreadable)[] }): JSX.Element {
  const { columns } = WORDS.childTasks;
  return (
    <Scrolled name={WORDS.step.children}>
      <table class="plain" aria-label={WORDS.step.children}>
        <Head columns={columns} />
        <tbody>
          {items.map((item) => (
            <Row key={item.taskId} item={item} />
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function Row({ item }: { readonly item: Summary | Unreadable }): JSX.Element {
  const name = 'reason' in item ? '?' : `${item.parent?.index ?? ''}`;
  return (
    <tr>
      <th scope="row">
        <a href={`/console/tasks/${item.taskId}`} title={item.taskId}>
          {WORDS.childTasks.item(name)}
        </a>
      </th>
      <td>
        <StateMark state={item.status} />
      </td>
      <td>{!('reason' in item) && <Span from={item.timeStart} to={item.timeEnd} />}</td>
      <td class="child-message">{'reason' in item ? item.reason : item.taskMessage}</td>
    </tr>
  );
}
