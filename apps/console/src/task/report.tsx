import type { ComponentChildren, JSX } from 'preact';
import type { Action, Run, Step, Task, TaskEvent } from '../api/shapes.js';
import { serverNow } from '../browser/clock.js';
import { Head } from '../ui/table-head.js';
import { absoluteWords, secondsOf } from '../ui/durations.js';
import { LinkedText } from '../ui/linked-text.js';
import { Span } from '../ui/moment.js';
import { usePrinting } from '../ui/printing.js';
import { eventWord, stateWord, WORDS } from '../words.js';
import { deedsOf } from './deeds.js';
import { runNames, type RunNames } from './run-names.js';
import { allSteps } from './steps.js';

interface ReportProps {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
}

/** The report printed in the place of the graph: each step, its undo, and what people did. */
export function Report(props: ReportProps): JSX.Element | null {
  // It is long, and nobody sees it on a screen.
  return usePrinting() ? <Printed {...props} /> : null;
}

function Printed({ events, task }: ReportProps): JSX.Element {
  const present = serverNow() / 1_000;
  const names = runNames(task.steps);
  const { asOf, nobody, people, peopleColumns, steps, stepColumns } = WORDS.report;
  const deeds = deedsOf(events);
  return (
    <section class="print-only report">
      <p>{`${asOf} ${absoluteWords(present)}`}</p>
      <ReportTable name={steps} columns={stepColumns}>
        {allSteps(task.steps).map(({ step }) => (
          <StepRow key={step.id} step={step} name={names(step.id)} />
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
            <DeedRow key={event.seq} event={event} names={names} />
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

interface StepRowProps {
  readonly step: Step;
  /** As people say its id. */
  readonly name: string;
}

function StepRow({ name, step }: StepRowProps): JSX.Element {
  const { attempts, kind, message, normal, rollback, timeEnd, timeStart } = step;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Half run={step} action={normal} kind={kind} />
      </td>
      <td>{rollback ? <Half run={rollback} action={rollback} kind="" /> : WORDS.report.noUndo}</td>
      <td>{attempts}</td>
      <td>{timeStart !== null && absoluteWords(timeStart)}</td>
      <td>{timeStart !== null && <Span from={timeStart} to={timeEnd} />}</td>
      <td>
        <LinkedText text={[message, rollback?.message].filter(Boolean).join(' · ')} />
      </td>
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

interface DeedRowProps {
  readonly event: TaskEvent;
  readonly names: RunNames;
}

function DeedRow({ event, names }: DeedRowProps): JSX.Element {
  const { actor, at, kind, message, run, step } = event;
  const id = run ?? step;
  return (
    <tr>
      <td>{absoluteWords(secondsOf(at))}</td>
      <th scope="row">{actor}</th>
      <td>{[eventWord(kind), id !== undefined && names(id)].filter(Boolean).join(' ')}</td>
      <td>{message !== undefined && <LinkedText text={message} />}</td>
    </tr>
  );
}
