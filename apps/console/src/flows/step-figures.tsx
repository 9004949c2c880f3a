import type { JSX } from 'preact';
import type { StepStatistics } from '../api/shapes.js';
import { Head } from '../pages/listed-page.js';
import { searchAddress } from '../tasks/saved-views.js';
import { shortWords } from '../ui/durations.js';
import { STATISTICS } from '../words/statistics.js';
import { percentWords } from './percent-words.js';

interface StepFiguresProps {
  readonly steps: readonly StepStatistics[];
  /** A search for the tasks of this flow and time that failed. */
  readonly failed: string;
}

/** How each step did, in the order of the flow. */
export function StepFigures({ failed, steps }: StepFiguresProps): JSX.Element {
  if (steps.length === 0) return <p class="empty">{STATISTICS.noSteps}</p>;
  return (
    <table class="rows lists step-figures" aria-label={STATISTICS.steps}>
      <Head columns={STATISTICS.columns} />
      <tbody>
        {steps.map((step) => (
          <Row key={`${step.direction} ${step.step}`} step={step} failed={failed} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly step: StepStatistics;
  readonly failed: string;
}

function Row({ failed: search, step }: RowProps): JSX.Element {
  const { columns } = STATISTICS;
  const { duration, failed, failureRate, retries, succeeded } = step;
  const ended = succeeded + failed + step.cancelled;
  return (
    <tr>
      <th scope="row">{nameWords(step)}</th>
      <td data-name={columns[1]}>{ended}</td>
      <td data-name={columns[2]} class={failed > 0 ? 'is-failing' : ''}>
        {failed === 0 ? '0' : `${failed} (${percentWords(failureRate ?? 0)})`}
      </td>
      <td data-name={columns[3]}>{retries}</td>
      <td data-name={columns[4]}>{duration === null ? '–' : shortWords(duration.p50)}</td>
      <td data-name={columns[5]}>{duration === null ? '–' : shortWords(duration.p95)}</td>
      <td data-name={columns[6]}>
        <TopError step={step} search={search} />
      </td>
    </tr>
  );
}

function TopError({ search, step }: { step: StepStatistics; search: string }): JSX.Element | null {
  const [top] = step.errors;
  if (top === undefined) return null;
  const code = top.code === '*' ? STATISTICS.otherErrors : top.code;
  const words = STATISTICS.error(code, top.count);
  // Where a retry made up for all of them, no task failed.
  return step.failed === 0 ? <span>{words}</span> : <a href={searchAddress(search)}>{words}</a>;
}

function nameWords({ direction, step }: StepStatistics): string {
  const name = step === '*' ? STATISTICS.rest : step;
  return direction === 'rollback' ? STATISTICS.rollback(name) : name;
}
