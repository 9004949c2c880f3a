import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import type { Approval, Summary } from '../api/shapes.js';
import { ACTIONS, type TaskAction } from '../task/actions.js';
import type { Item } from '../tasks/task-list.js';
import { Labels, TaskLink } from '../tasks/task-table.js';
import { beginningOf, LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { WORDS } from '../words.js';
import { Act } from './held-table.js';
import { Head } from './listed-page.js';

/** A question that a task asks. */
interface Asked {
  readonly task: Summary;
  readonly approval: Approval;
}

/** The questions of these tasks, in their order. */
export function askedIn(items: readonly Item[]): readonly Asked[] {
  return items.flatMap((item) => {
    if (!('approvals' in item)) return [];
    return item.approvals.map((approval) => ({ task: item, approval }));
  });
}

const ANSWERS = ACTIONS.filter(({ verb }) => verb === 'approve' || verb === 'reject');

/** An answer that a person is about to give. */
interface Answering extends Asked {
  readonly action: TaskAction;
}

/** Steps that ask for an approval, with an answer to each. */
export function AskedTable({ asked }: { readonly asked: readonly Asked[] }): JSX.Element {
  const [answering, answer] = useState<Answering | null>(null);
  const { asked: title, askedColumns } = WORDS.inbox;
  return (
    <section class="panel">
      <h2>{`${title} (${asked.length})`}</h2>
      <table class="rows lists" aria-label={title}>
        <Head columns={askedColumns} />
        <tbody>
          {asked.map((one) => (
            <Row
              key={`${one.task.taskId} ${one.approval.step}`}
              asked={one}
              onAnswer={(action) => answer({ ...one, action })}
            />
          ))}
        </tbody>
      </table>
      {answering !== null && (
        <Act
          action={answering.action}
          taskId={answering.task.taskId}
          step={answering.approval.step}
          onClose={() => answer(null)}
        />
      )}
    </section>
  );
}

interface RowProps {
  readonly asked: Asked;
  readonly onAnswer: (action: TaskAction) => void;
}

function Row({ asked: { approval, task }, onAnswer }: RowProps): JSX.Element {
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
              onClick={() => onAnswer(action)}
            >
              {action.words}
            </button>
          ))}
        </div>
      </td>
    </tr>
  );
}
