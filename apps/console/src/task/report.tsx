import type { JSX } from 'preact';
import type { Task } from '../api/shapes.js';
import { Span } from '../ui/moment.js';
import { stateWord, WORDS } from '../words.js';
import { allSteps } from './steps.js';

/** Every step in a table: what is printed in the place of the graph. */
export function Report({ task }: { readonly task: Task }): JSX.Element {
  return (
    <section class="print-only">
      <h2>{WORDS.task.report}</h2>
      <table class="rows">
        <thead>
          <tr>
            <th>{WORDS.step.details}</th>
            <th>{WORDS.step.state}</th>
            <th>{WORDS.step.back}</th>
            <th>{WORDS.step.attempts}</th>
            <th>{WORDS.task.took}</th>
            <th>{WORDS.step.error}</th>
          </tr>
        </thead>
        <tbody>
          {allSteps(task.steps).map(({ step }) => (
            <tr key={step.id}>
              <td>{step.id}</td>
              <td>{stateWord(step.state)}</td>
              <td>{step.rollback ? stateWord(step.rollback.state) : '–'}</td>
              <td>{step.attempts}</td>
              <td>
                <Span from={step.timeStart} to={step.timeEnd} />
              </td>
              <td>{step.rollback?.message ?? step.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
