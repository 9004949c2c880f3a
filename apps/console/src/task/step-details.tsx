import type { JSX } from 'preact';
import { useRights } from '../access/session.js';
import type { Action, Json, JsonObject, Run, Step, Task, TaskEvent } from '../api/shapes.js';
import { durationWords } from '../ui/durations.js';
import { Fact } from '../ui/fact.js';
import { JsonView } from '../ui/json-view.js';
import { LinkedText } from '../ui/linked-text.js';
import { Moment, Span } from '../ui/moment.js';
import { StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import { ONLY_STEP } from '../words/only-step.js';
import { AttemptTable } from './attempt-table.js';
import { attemptsOf } from './attempts.js';
import { ChildTasks } from './child-tasks.js';
import { earlierTries } from './earlier-tries.js';
import { exactTimes } from './exact-times.js';
import { retryWords } from './retry-words.js';
import { runNames } from './run-names.js';

interface StepDetailsProps {
  readonly task: Task;
  /** null: none was picked. */
  readonly step: Step | null;
  readonly events: readonly TaskEvent[];
}

/** Everything about the step that was picked. */
export function StepDetails({ events, step, task }: StepDetailsProps): JSX.Element {
  return (
    <section class="panel details" aria-labelledby="step-title">
      <h2 id="step-title">
        {WORDS.step.details}
        {step !== null && `: ${step.name}`}
      </h2>
      {step === null ? (
        <p class="faint">{WORDS.task.pick}</p>
      ) : (
        <Details {...{ step, task, events }} />
      )}
    </section>
  );
}

function Details(props: StepDetailsProps & { readonly step: Step }): JSX.Element {
  const { events, step, task } = props;
  const { rollback } = step;
  return (
    <>
      <dl class="facts">
        {step.id !== step.name && (
          <Fact name={WORDS.step.run}>
            <span title={step.id}>{runNames(task.steps)(step.id)}</span>
          </Fact>
        )}
        {step.kind !== 'normal' && <Fact name={WORDS.step.kind}>{step.kind}</Fact>}
        {step.needs.length > 0 && <Fact name={WORDS.step.needs}>{step.needs.join(', ')}</Fact>}
      </dl>
      {step.children !== undefined && (
        <ChildTasks key={step.id} counts={step.children} step={step.id} task={task} />
      )}
      <EarlierTries step={step} events={events} />
      <RunAgain {...{ step, task }} />
      <h3>{WORDS.step.forward}</h3>
      <Half {...{ events, id: step.id }} direction="normal" run={step} action={step.normal} />
      <h4>{WORDS.step.output}</h4>
      <JsonView name={WORDS.step.output} value={step.output} />
      {(step.normal !== undefined || rollback) && (
        <>
          <h3>{WORDS.step.back}</h3>
          {rollback ? (
            <Half
              {...{ events, id: step.id }}
              direction="rollback"
              run={rollback}
              action={rollback}
            />
          ) : (
            <p class="faint">{WORDS.step.noUndo}</p>
          )}
        </>
      )}
    </>
  );
}

/** Why the tries failed that are not drawn any more. */
function EarlierTries({
  events,
  step,
}: Pick<StepDetailsProps, 'events'> & { readonly step: Step }) {
  const tries = earlierTries(step, events);
  if (tries.length === 0) return null;
  return (
    <ul class="earlier-tries">
      {tries.map(({ message, name, run }) => (
        <li key={name}>
          <LinkedText text={WORDS.step.tryFailed(name, run, message)} />
        </li>
      ))}
    </ul>
  );
}

/** The way to a task that runs a step of the task's own list by itself, with what it had here. */
function RunAgain({ step, task }: { readonly step: Step; readonly task: Task }) {
  const { may } = useRights();
  if (!may('starter') || !task.steps.includes(step)) return null;
  const query = new URLSearchParams({ only: step.name, from: task.taskId });
  return (
    <p>
      <a href={`/console/flows/${encodeURIComponent(task.flow)}?${query}`}>{ONLY_STEP.again}</a>
    </p>
  );
}

interface HalfProps {
  /** Of the step's run. */
  readonly id: string;
  readonly direction: 'normal' | 'rollback';
  readonly run: Run;
  readonly action: Action | undefined;
  readonly events: readonly TaskEvent[];
}

function Half({ action, direction, events, id, run }: HalfProps): JSX.Element {
  const { message, values } = run;
  const attempts = attemptsOf(events, { run: id, direction });
  return (
    <>
      <HalfFacts {...{ run, action }} events={halfEvents(events, { id, direction })} />
      {message !== null && (
        <p class="error-text">
          <strong>{WORDS.step.error}: </strong>
          <LinkedText text={message} />
        </p>
      )}
      {attempts.length > 0 && (
        <AttemptTable name={WORDS.attempts.titles[direction]} attempts={attempts} />
      )}
      <Called written={action?.parameters} values={values} />
    </>
  );
}

/** The events of one half of a step. */
function halfEvents(
  events: readonly TaskEvent[],
  { direction, id }: Pick<HalfProps, 'direction' | 'id'>,
): readonly TaskEvent[] {
  return events.filter((event) => {
    return (event.run ?? event.step) === id && event.direction === direction;
  });
}

interface CalledProps {
  /** With expressions, as the flow has them. */
  readonly written: JsonObject | undefined;
  readonly values: JsonObject | undefined;
}

/** Parameters of a command: those it was called with beside those that were written. */
function Called({ values, written }: CalledProps): JSX.Element | null {
  if (written === undefined && values === undefined) return null;
  const { parameters } = WORDS.step;
  const { with: calledWith, written: asWritten } = WORDS.called;
  if (values === undefined) {
    return <Titled name={parameters} value={written ?? null} />;
  }
  return (
    <div class="beside">
      <Titled name={`${parameters}: ${calledWith}`} title={calledWith} value={values} />
      <Titled name={`${parameters}: ${asWritten}`} title={asWritten} value={written ?? null} />
    </div>
  );
}

interface TitledProps {
  readonly name: string;
  /** Default: the name. */
  readonly title?: string;
  readonly value: Json;
}

function Titled({ name, title = name, value }: TitledProps): JSX.Element {
  return (
    <div>
      <h4>{title}</h4>
      <JsonView name={name} value={value} />
    </div>
  );
}

function HalfFacts({ action, events, run }: Pick<HalfProps, 'action' | 'events' | 'run'>) {
  const { attempts, state, timeStart } = run;
  return (
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
        <Fact name={run.timeEnd === null ? WORDS.task.takes : WORDS.task.took}>
          <Span {...exactTimes(run, events)} />
        </Fact>
      )}
      {action?.timeout !== undefined && (
        <Fact name={WORDS.step.timeout}>{durationWords(action.timeout)}</Fact>
      )}
      {action?.retry !== undefined && (
        <Fact name={WORDS.step.retry}>{retryWords(action.retry)}</Fact>
      )}
    </dl>
  );
}
