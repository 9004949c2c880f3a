import type { JSX } from 'preact';
import type { ListedOperation } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { Fact } from '../ui/fact.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { WORDS } from '../words.js';
import { wordsOf } from './operation-form.js';

interface OperationBriefProps {
  /** By which a dialog refers to it. */
  readonly id: string;
  readonly operation: ListedOperation;
}

/** The operation that a dialog is about: its action, its tasks, its reason and who asked. */
export function OperationBrief({ id, operation }: OperationBriefProps): JSX.Element {
  const { action, actor, createdAt, flow, q, reason, taskId } = operation;
  const { action: actionWord } = WORDS.operations;
  const { by, tasks } = WORDS.brief;
  return (
    <section id={id} class="brief" aria-label={WORDS.brief.title}>
      <dl class="facts">
        <Fact name={actionWord}>{wordsOf(action)}</Fact>
        {taskId === null ? (
          <Fact name={tasks}>
            <code>{q}</code>
          </Fact>
        ) : (
          <Fact name={WORDS.brief.task}>
            <bdi class="flow-name">{flow}</bdi> <code>{taskId}</code>
          </Fact>
        )}
        <Fact name={WORDS.dialog.reason}>
          <LongText text={reason} />
        </Fact>
        <Fact name={by}>
          <bdi>{actor}</bdi>
        </Fact>
        <Fact name={WORDS.task.created}>
          <Moment at={secondsOf(createdAt)} isWhole />
        </Fact>
      </dl>
    </section>
  );
}

/** The operation in a few words, apart from others. */
export function subjectOf({ action, flow, q, taskId }: ListedOperation): string {
  return `${wordsOf(action)} ${taskId === null ? q : `${flow} …${taskId.slice(-6)}`}`;
}
