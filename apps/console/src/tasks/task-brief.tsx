import type { JSX } from 'preact';
import type { Task } from '../api/shapes.js';
import { standingOf } from '../task/standing.js';
import { Fact } from '../ui/fact.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { Mark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import { Labels } from './task-table.js';

interface TaskBriefProps {
  /** By which a dialog refers to it. */
  readonly id: string;
  readonly task: Task;
  /** The step whose question is answered, as people address it; empty: none. */
  readonly step: string;
}

/** The task that a dialog acts on, told apart from all others: its question, cause and labels. */
export function TaskBrief({ id, step, task }: TaskBriefProps): JSX.Element {
  const { approvals, flow, labels, lastError, parent, taskId, timeCreate } = task;
  const question = approvals.find((each) => each.step === step)?.title ?? null;
  const { created, labels: labelsWord, parent: parentWord } = WORDS.task;
  const short = `…${taskId.slice(-12)}`;
  const hasLabels = Object.keys(labels).length > 0;
  return (
    <section id={id} class="brief" aria-label={WORDS.brief.title}>
      {question !== null && (
        <p class="question">
          <bdi>{question}</bdi>
        </p>
      )}
      <dl class="facts">
        <Fact name={WORDS.brief.task}>
          <bdi class="flow-name">{flow}</bdi> <code title={taskId}>{short}</code>{' '}
          <Mark {...standingOf(task)} />
        </Fact>
        {lastError !== null && lastError.step !== null && (
          <Fact name={WORDS.dialog.step}>
            <bdi>{lastError.step}</bdi>
          </Fact>
        )}
        {lastError !== null && (
          <Fact name={WORDS.step.error}>
            <LongText text={lastError.message ?? lastError.code} isTold />
          </Fact>
        )}
        {hasLabels && (
          <Fact name={labelsWord}>
            <Labels labels={labels} />
          </Fact>
        )}
        {parent !== null && <Fact name={parentWord}>{`…${parent.taskId.slice(-12)}`}</Fact>}
        <Fact name={created}>
          <Moment at={timeCreate} isWhole />
        </Fact>
      </dl>
    </section>
  );
}
