import type { ComponentChildren, JSX } from 'preact';
import type { Action, Run, Step, Task, TaskEvent } from '../api/shapes.js';
import { Head } from '../pages/listed-page.js';
import { absoluteWords, secondsOf } from '../ui/durations.js';
import { Span, useSeconds } from '../ui/moment.js';
import { eventWord, stateWord, WORDS } from '../words.js';
import { deedsOf } from './deeds.js';
import { allSteps } from './steps.js';

interface ReportProps {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
}

/** The report printed in the place of the graph: each step, its undo, and what people did. */
export function Report({ events, task }: ReportProps): JSX.Element {
  const present = useSeconds();
  const { asOf, nobody, people, peopleColumns, steps, stepColumns } = WORDS.report;
  const deeds = deedsOf(events);
  return (
    <section class="print-only report">
      <p>{`${asOf} ${absoluteWords(present)}`}</p>
      <ReportTable name={steps} columns={stepColumns}>
        {allSteps(task.steps).map(({ step }) => (
          <StepRow key={step.id} step={step} />
        ))}
      </ReportTable>
      {deeds.length === 0 ? (
        <>
          <h2>{people}</h2>
          <p>{nobody}</p>
        </>
      ) : (
        <ReportTable name={people} columns={peopleColumns}>
          {deeds.map((event) => (
            <DeedRow key={event.seq} event={event} />
          ))}
        </ReportTable>
      )}
    </section>
  );
}

interface ReportTableProps {
  readonly name: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

function ReportTable({ children, columns, name }: ReportTableProps): JSX.Element {
  return (
    <>
      <h2>{name}</h2>
      <table class="plain" aria-label={name}>
        <Head columns={columns} />
        <tbody>{children}</tbody>
      </table>
    </>
  );
}

function StepRow({ step }: { readonly step: Step }): JSX.Element {
  const { attempts, id, kind, message, normal, rollback, timeEnd, timeStart } = step;
  return (
    <tr>
      <th scope="row">{id}</th>
      <td>
        <Half run={step} action={normal} kind={kind} />
      </td>
      <td>{rollback ? <Half run={rollback} action={rollback} kind="" /> : WORDS.report.noUndo}</td>
      <td>{attempts}</td>
      <td>{timeStart !== null && absoluteWords(timeStart)}</td>
      <td>{timeStart !== null && <Span from={timeStart} to={timeEnd} />}</td>
      <td>{[message, rollback?.message].filter(Boolean).join(' · ')}</td>
    </tr>
  );
}

interface HalfProps {
  readonly run: Run;
  readonly action: Action | undefined;
  /** The kind of a step that runs no command. */
  readonly kind: string;
}

function Half({ action, kind, run: { state } }: HalfProps): JSX.Element {
  const what = action?.command === undefined ? kind : `${action.module}.${action.command}`;
  // An undo that was never wanted has no state.
  return (
    <>
      {what}
      <br />
      {state === 'none' ? WORDS.report.notUndone : stateWord(state)}
    </>
  );
}

function DeedRow({ event }: { readonly event: TaskEvent }): JSX.Element {
  const { actor, at, kind, message, run, step } = event;
  return (
    <tr>
      <td>{absoluteWords(secondsOf(at))}</td>
      <th scope="row">{actor}</th>
      <td>{[eventWord(kind), run ?? step].filter(Boolean).join(' ')}</td>
      <td>{message}</td>
    </tr>
  );
}
