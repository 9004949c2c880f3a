import type { FlowStatisticsReport, StepStatisticsReport } from '../client/types.js';
import type { Session } from '../session.js';
import { type Column, tableLines } from '../terminal/table.js';
import { type Call, textArg, textOption } from '../tree/call.js';

const COLUMNS: readonly Column<StepStatisticsReport>[] = [
  { title: 'STEP', value: nameText },
  { title: 'ENDED', value: endedText, align: 'right' },
  { title: 'FAILED', value: ({ failed }) => `${failed}`, align: 'right' },
  { title: 'RATE', value: ({ failureRate }) => percentText(failureRate), align: 'right' },
  { title: 'RETRIES', value: ({ retries }) => `${retries}`, align: 'right' },
  { title: 'P50', value: ({ duration }) => secondsText(duration?.p50), align: 'right' },
  { title: 'P95', value: ({ duration }) => secondsText(duration?.p95), align: 'right' },
  { title: 'ERRORS', value: errorsText },
];

/** `flow statistics` */
export async function flowStatistics(session: Session, call: Call): Promise<void> {
  const statistics = await session
    .asking()
    .ask('GET /v1/flows/{name}/statistics', {
      path: { name: textArg(call, 0) },
      query: { over: textOption(call, 'over') },
    });
  const steps = statistics.steps.map(({ step }) => step);
  session.printOne(statistics, () => linesOf(statistics, session.width), steps);
  if (!statistics.isComplete) session.say('There is more than can be added up at once.');
}

function linesOf(statistics: FlowStatisticsReport, width: number): readonly string[] {
  const { duration, ended, flow, over, rollbackFailed, started, successRate } = statistics;
  const counts = [
    `${started} started`,
    `${ended.succeeded} succeeded`,
    `${ended.rolled_back} rolled back`,
    `${ended.terminated} terminated`,
    ...(rollbackFailed === 0
      ? []
      : [`${rollbackFailed} ${rollbackFailed === 1 ? 'rollback' : 'rollbacks'} failed`]),
  ];
  const times =
    duration === null
      ? []
      : [
          `success rate ${percentText(successRate)}, half within ${secondsText(duration.p50)}, ` +
            `95 % within ${secondsText(duration.p95)}, at most ${secondsText(duration.max)}`,
        ];
  const steps = statistics.steps.length === 0 ? [] : tableLines(statistics.steps, COLUMNS, width);
  const head = `${flow}, ${PERIODS[over]}: ${counts.join(', ')}`;
  return [head, ...times, ...(steps.length === 0 ? [] : ['', ...steps])];
}

const PERIODS: Readonly<Record<FlowStatisticsReport['over'], string>> = {
  hour: 'this hour and the last',
  day: 'last 24 hours',
  month: 'last 30 days',
};

function nameText({ direction, step }: StepStatisticsReport): string {
  const name = step === '*' ? 'all further steps' : step;
  return direction === 'rollback' ? `↩ ${name}` : name;
}

function endedText({ cancelled, failed, succeeded }: StepStatisticsReport): string {
  return `${succeeded + failed + cancelled}`;
}

function errorsText({ errors }: StepStatisticsReport): string {
  return errors.map(({ code, count }) => `${code === '*' ? 'others' : code} ${count}`).join(', ');
}

/** One digit; all or nothing only where it is that. */
function percentText(share: number | null): string {
  if (share === null) return '-';
  const exact = share === 0 || share === 1 ? share : Math.min(0.999, Math.max(0.001, share));
  return `${Number((exact * 100).toFixed(1))} %`;
}

/** Three digits are more than such times are exact. */
function secondsText(seconds: number | undefined): string {
  if (seconds === undefined) return '-';
  return seconds < 1 ? `${Math.round(seconds * 1_000)} ms` : `${Number(seconds.toPrecision(3))} s`;
}
