import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Task } from '../api/shapes.js';
import { Labels } from '../tasks/task-table.js';
import { Icon } from '../ui/icons.js';
import { Moment, Span } from '../ui/moment.js';
import { PageHead } from '../ui/page-head.js';
import { lookOf } from '../ui/states.js';
import { StateMark } from '../ui/state-mark.js';
import { stateWord, WORDS } from '../words.js';
import { ActionDialog } from './action-dialog.js';
import { legalActions, type Verb } from './actions.js';
import { CopyMenu } from './copy-menu.js';
import { Fact } from './step-details.js';

interface TaskHeadProps {
  readonly task: Task;
  readonly picked: string | null;
  readonly onDone: (task: Task) => void;
}

/** How the task stands, why, and what can be done about it. */
export function TaskHead({ onDone, picked, task }: TaskHeadProps): JSX.Element {
  const { flow, flowVersion, status, taskId } = task;
  return (
    <>
      <PageHead title={`${flow} …${taskId.slice(-6)}`}>
        <span class="big-state">
          <StateMark state={status} />
        </span>
      </PageHead>
      <p role="status" aria-live="polite" class="unseen">
        {`${flow}: ${stateWord(status)}`}
      </p>
      <p class="faint sub-head">
        <a href={`/console/flows/${encodeURIComponent(flow)}?version=${flowVersion}`}>
          {`${flow} ${WORDS.task.version} ${flowVersion}`}
        </a>
        {' · '}
        <code>{taskId}</code>
      </p>
      <Why task={task} />
      <ActionBar {...{ task, picked, onDone }} />
      <Facts task={task} />
    </>
  );
}

function Why({ task }: { readonly task: Task }): JSX.Element | null {
  const { hold, paused, status, taskMessage } = task;
  const isBad = status === 'rollback_failed';
  const sentence = paused === null ? taskMessage : `${paused.by ?? ''}: ${paused.reason}`;
  if (sentence === null || sentence === '') return null;
  return (
    <div class={`notice ${isBad ? 'notice-bad' : ''}`}>
      <Icon name={lookOf(status).icon} />
      <div>
        <p>{sentence}</p>
        {hold !== null && hold.until !== null && (
          <p>
            {`${WORDS.task.holdUntil} `}
            <Moment at={hold.until} isWhole />
          </p>
        )}
      </div>
    </div>
  );
}

function ActionBar({ onDone, picked, task }: TaskHeadProps): JSX.Element {
  const [verb, open] = useState<Verb | null>(null);
  const actions = legalActions(task);
  // A dialog stays open when the task has moved on: the gateway says so.
  const [opened, setOpened] = useState(actions[0]);
  return (
    <div class="action-bar">
      {actions.map((action) => (
        <button
          key={action.verb}
          type="button"
          class={action.isGrave === true ? 'grave-outline' : ''}
          onClick={() => {
            setOpened(action);
            open(action.verb);
          }}
        >
          {action.words}
        </button>
      ))}
      <CopyMenu taskId={task.taskId} />
      {verb !== null && opened !== undefined && (
        <ActionDialog {...{ task, picked, onDone }} action={opened} onClose={() => open(null)} />
      )}
    </div>
  );
}

function Facts({ task }: { readonly task: Task }): JSX.Element {
  const { labels, restartOf, timeCreate, timeEnd, timeStart } = task;
  return (
    <dl class="facts facts-row">
      <Fact name={WORDS.task.created}>
        <Moment at={timeCreate} isWhole />
      </Fact>
      <Fact name={WORDS.task.took}>
        <Span from={timeStart} to={timeEnd} />
      </Fact>
      {timeEnd !== null && (
        <Fact name={WORDS.task.ended}>
          <Moment at={timeEnd} isWhole />
        </Fact>
      )}
      {Object.keys(labels).length > 0 && (
        <Fact name={WORDS.task.labels}>
          <Labels labels={labels} />
        </Fact>
      )}
      {restartOf !== null && (
        <Fact name={WORDS.task.restartOf}>
          <a href={`/console/tasks/${restartOf}`}>{restartOf}</a>
        </Fact>
      )}
    </dl>
  );
}
