import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { FlowStatistics } from '../api/shapes.js';
import { keep, kept } from '../browser/storage.js';
import { shortWords } from '../ui/durations.js';
import { usePolled } from '../ui/polled.js';
import { SelectField } from '../ui/fields.js';
import { STATISTICS } from '../words/statistics.js';
import { WORDS } from '../words.js';
import { endsOf, totalOf } from './ends-data.js';
import { EndsChart, EndsTable, EndSums } from './ends-chart.js';
import { percentWords } from './percent-words.js';
import { StepFigures } from './step-figures.js';

/** Ages of tasks that each span is about, as searches say them. */
const AGES = { hour: '2h', day: '24h', month: '30d' } as const;
type Over = keyof typeof AGES;

const EVERY_MS = 15_000;
const PLACE = 'flow-span';

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
