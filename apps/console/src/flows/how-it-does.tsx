import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { FlowStatistics, StepStatistics } from '../api/shapes.js';
import { keep, kept } from '../browser/storage.js';
import { Head } from '../ui/table-head.js';
import { searchAddress } from '../tasks/saved-views.js';
import { shortWords } from '../ui/durations.js';
import { usePolled } from '../ui/polled.js';
import { SelectField } from '../ui/fields.js';
import { STATISTICS } from '../words/statistics.js';
import { WORDS } from '../words.js';
import { endsOf, percentWords, totalOf } from './ends-data.js';
import { EndsChart, EndsTable, EndSums } from './ends-chart.js';

/** Ages of tasks that each span is about, as searches say them. */
const AGES = { hour: '2h', day: '24h', month: '30d' } as const;

type Over = keyof typeof AGES;

const EVERY_MS = 15_000;
const PLACE = 'flow-span';

interface StepFiguresProps {
  readonly steps: readonly StepStatistics[];
  /** A search for the tasks of this flow and time that failed. */
  readonly failed: string;
}

interface RowProps {
  readonly step: StepStatistics;
  readonly failed: string;
}

/** How tasks and steps of a flow ended over time: drawn, in words, and as tables. */
export function HowItDoes({ name }: { readonly name: string }): JSX.Element {
  const [over, set] = useState<Over>(() => readOver(kept(PLACE)));
  const choose = (next: Over): void => {
    keep(PLACE, next);
    set(next);
  };
  const ask = (signal: AbortSignal): Promise<FlowStatistics> => api.statistics(name, over, signal);
  const { refusal, value } = usePolled(`${name} ${over}`, ask, EVERY_MS);
  return (
    <section class="panel" aria-labelledby="how-it-does">
      <div class="panel-head">
        <h2 id="how-it-does">{STATISTICS.title}</h2>
        <SelectField
          name={STATISTICS.span}
          value={over}
          choices={STATISTICS.spans}
          onPick={choose}
          isInHead
        />
      </div>
      {refusal !== null && <p class="faint">{refusal.problem.detail}</p>}
      {refusal === null && value === null && <p class="faint">{WORDS.loading}</p>}
      {value !== null && <Figures value={value} over={over} />}
    </section>
  );
}

function readOver(text: string | null): Over {
  return text !== null && Object.hasOwn(AGES, text) ? (text as Over) : 'day';
}

interface FiguresProps {
  readonly value: FlowStatistics;
  readonly over: Over;
}

function Figures({ over, value }: FiguresProps): JSX.Element {
  const isEmpty = value.started === 0 && totalOf(endsOf(value)) === 0;
  if (isEmpty && value.steps.length === 0) return <p class="empty">{STATISTICS.none}</p>;
  const { duration, successRate } = value;
  const failed = `flow:${value.flow} status:failed age:<${AGES[over]}`;
  return (
    <>
      <EndSums value={value} />
      <EndsChart {...value} />
      {successRate !== null && duration !== null && (
        <p>
          <b>{STATISTICS.rate(percentWords(successRate))}</b>
          {`. ${STATISTICS.took(
            shortWords(duration.p50),
            shortWords(duration.p95),
            shortWords(duration.max),
          )}`}
        </p>
      )}
      <EndsTable {...value} />
      <h3>{STATISTICS.steps}</h3>
      <StepFigures steps={value.steps} failed={failed} />
      {!value.isComplete && <p class="faint">{STATISTICS.cut}</p>}
    </>
  );
}

/** How each step did, in the order of the flow. */
function StepFigures({ failed, steps }: StepFiguresProps): JSX.Element {
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
