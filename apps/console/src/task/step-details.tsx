import type { ComponentChildren, JSX } from 'preact';
import type { Action, Json, Run, Step } from '../api/shapes.js';
import { durationWords } from '../ui/durations.js';
import { JsonView } from '../ui/json-view.js';
import { Moment, Span } from '../ui/moment.js';
import { StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';

interface StepDetailsProps {
  readonly taskId: string;
  /** null: none was picked. */
  readonly step: Step | null;
}

/** Everything about the step that was picked. */
export function StepDetails({ step, taskId }: StepDetailsProps): JSX.Element {
  return (
    <section class="panel details" aria-labelledby="step-title">
      <h2 id="step-title">
        {WORDS.step.details}
        {step !== null && `: ${step.name}`}
      </h2>
      {step === null ? (
        <p class="faint">{WORDS.task.pick}</p>
      ) : (
        <Details step={step} taskId={taskId} />
      )}
    </section>
  );
}

function Details({ step, taskId }: StepDetailsProps & { readonly step: Step }): JSX.Element {
  const { rollback } = step;
  return (
    <>
      <dl class="facts">
        {step.id !== step.name && <Fact name={WORDS.step.run}>{step.id}</Fact>}
        {step.kind !== 'normal' && <Fact name="Kind">{step.kind}</Fact>}
        {step.needs.length > 0 && <Fact name={WORDS.step.needs}>{step.needs.join(', ')}</Fact>}
      </dl>
      {step.children !== undefined && <ChildTasks counts={step.children} taskId={taskId} />}
      <h3>{WORDS.step.forward}</h3>
      <Half run={step} action={step.normal} />
      <h4>{WORDS.step.output}</h4>
      <JsonView name={WORDS.step.output} value={step.output} />
      {(step.normal !== undefined || rollback) && (
        <>
          <h3>{WORDS.step.back}</h3>
          {rollback ? (
            <Half run={rollback} action={rollback} />
          ) : (
            <p class="faint">{WORDS.step.noUndo}</p>
          )}
        </>
      )}
    </>
  );
}

interface ChildTasksProps {
  readonly taskId: string;
  readonly counts: NonNullable<Step['children']>;
}

/** How the tasks stand that do the work of a step, and the way to them. */
function ChildTasks({ counts, taskId }: ChildTasksProps): JSX.Element {
  const { active, failed, succeeded, total } = counts;
  return (
    <p>
      <a href={`/console/tasks?q=parent%3A${taskId}`}>{WORDS.step.children}</a>
      {`: ${succeeded} of ${total} succeeded, ${failed} failed, ${active} open`}
    </p>
  );
}

interface HalfProps {
  readonly run: Run;
  readonly action: Action | undefined;
}

function Half({ action, run }: HalfProps): JSX.Element {
  const { attempts, message, state, timeEnd, timeStart } = run;
  return (
    <>
      <dl class="facts">
        <Fact name={WORDS.step.state}>
          <StateMark state={state} />
        </Fact>
        {action && (
          <Fact name={WORDS.step.command}>
            <code>{`${action.module}.${action.command}`}</code>
          </Fact>
        )}
        <Fact name={WORDS.step.attempts}>{attempts}</Fact>
        <Fact name={WORDS.task.started}>
          <Moment at={timeStart} isWhole />
        </Fact>
        {timeStart !== null && (
          <Fact name={WORDS.task.took}>
            <Span from={timeStart} to={timeEnd} />
          </Fact>
        )}
        {action?.timeout !== undefined && (
          <Fact name={WORDS.step.timeout}>{durationWords(action.timeout)}</Fact>
        )}
        {action?.retry !== undefined && (
          <Fact name={WORDS.step.retry}>{retryWords(action.retry)}</Fact>
        )}
      </dl>
      {message !== null && (
        <p class="error-text">
          <strong>{WORDS.step.error}: </strong>
          {message}
        </p>
      )}
      {action?.parameters !== undefined && (
        <>
          <h4>{WORDS.step.parameters}</h4>
          <JsonView name={WORDS.step.parameters} value={action.parameters} />
        </>
      )}
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** A name and what stands for it. */
export function Fact({ children, name }: FactProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function retryWords(retry: Json): string {
  if (typeof retry === 'number') return retry === 1 ? 'once' : `${retry} times`;
  return JSON.stringify(retry);
}
