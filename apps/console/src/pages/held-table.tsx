import type { JSX } from 'preact';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { Summary, Task } from '../api/shapes.js';
import { ActionDialog } from '../task/action-dialog.js';
import { legalActions, roleOf, type TaskAction, type Verb } from '../task/actions.js';
import { useTask } from '../task/follow-task.js';
import { allSteps } from '../task/steps.js';
import { TaskLink } from '../tasks/task-table.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { usePaced } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { Head } from '../ui/table-head.js';

/** For what the list, which follows the stream of changes, does not tell. */
const EVERY_MS = 60_000;
/** A batch of changes asks once. */
const GAP_MS = 1_000;
const MOST = '50';
/** Rows of a list that is not there yet. */
const SHOWN = 8;
const VERBS: readonly Verb[] = ['retry', 'skip', 'rollback', 'terminate'];

interface HeldTableProps {
  readonly title: string;
  readonly status: 'rollback_failed' | 'on_hold';
  readonly items: readonly Summary[];
  readonly onAct: (acting: Acting) => void;
}

/** An action that a person is about to take. */
export interface Acting {
  readonly taskId: string;
  readonly step: string | null;
  readonly action: TaskAction;
}

/** Tasks that wait until a person acts: where and since when, and what can be done about each. */
export function HeldTable({ items, onAct, status, title }: HeldTableProps): JSX.Element {
  const query = new URLSearchParams({ status, limit: MOST, full: 'true' });
  const wish = items.map(({ revision, taskId }) => `${taskId} ${revision}`).join();
  const look = (signal: AbortSignal) => api.tasks(query, signal);
  const { value } = usePaced(`held ${status}`, look, { everyMs: EVERY_MS, gapMs: GAP_MS, wish });
  const tasks = (value?.items ?? []).filter((item): item is Task => 'steps' in item);
  return (
    <section class="panel">
      <h2>{`${title} (${items.length})`}</h2>
      {value === null && <LoadingRows label={title} rows={Math.min(items.length, SHOWN)} />}
      <table class="rows lists" aria-label={title} hidden={value === null}>
        <Head columns={WORDS.inbox.heldColumns} />
        <tbody>
          {items.map((item) => (
            <Row
              key={item.taskId}
              item={item}
              task={tasks.find(({ taskId }) => taskId === item.taskId) ?? null}
              onAct={onAct}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  readonly item: Summary;
  /** Null: it is not there yet, or there are too many to show all of each. */
  readonly task: Task | null;
  readonly onAct: (acting: Acting) => void;
}

function Row({ item, onAct, task }: RowProps): JSX.Element {
  const { may } = useRights();
  const { flow, taskId, taskMessage } = item;
  const columns = WORDS.inbox.heldColumns;
  const step = task?.lastError?.step ?? null;
  const cause = task?.lastError?.message ?? null;
  const actions = task === null ? [] : legalActions(task);
  return (
    <tr>
      <td>
        <TaskLink flow={flow} taskId={taskId} />
      </td>
      <td data-title={columns[1]}>
        <bdi>{step}</bdi>
      </td>
      <td class="cell-time" data-title={columns[2]}>
        {task !== null && <Moment at={heldSince(task)} />}
      </td>
      <td class="cell-cause" data-title={columns[3]}>
        {cause !== null && (
          <div>
            <LongText text={cause} isTold />
          </div>
        )}
        <div class="faint">
          <LongText text={taskMessage} isTold />
        </div>
      </td>
      <td>
        <div class="buttons">
          {actions
            .filter((action) => VERBS.includes(action.verb) && may(roleOf(action)))
            .map((action) => (
              <button
                key={action.verb}
                type="button"
                class={action.isGrave === true ? 'grave-outline' : ''}
                aria-label={`${action.words}: ${flow} ${taskId}`}
                onClick={() => onAct({ taskId, step, action })}>
                {action.words}
              </button>
            ))}
        </div>
      </td>
    </tr>
  );
}

/** When its last action ended, in seconds since 1970: nothing has moved since. */
function heldSince({ steps, timeStart }: Task): number | null {
  const ends = allSteps(steps).flatMap(({ step }) => [
    step.timeEnd,
    step.rollback?.timeEnd ?? null,
  ]);
  return ends.reduce(
    (latest, end) => (end !== null && end > (latest ?? 0) ? end : latest),
    timeStart,
  );
}

interface ActProps extends Acting {
  readonly onClose: () => void;
}

/** The dialog of the page of the task, which follows the whole task. */
export function Act({ action, onClose, step, taskId }: ActProps): JSX.Element | null {
  const { take, task } = useTask(taskId);
  if (task === null) return null;
  return <ActionDialog {...{ action, task, onClose }} picked={step} onDone={take} />;
}
