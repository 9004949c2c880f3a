import type { StatisticsSpan } from '#ports';
import { orElse, parameter, RequestQuery, wordRule } from '../requests/request-query.js';

/** A stretch of time that statistics are about, up to now. */
interface Period {
  readonly span: StatisticsSpan;
  /** Hours or days, with the one that is now. */
  readonly count: number;
}

/** The stretches of time that statistics can be asked for, by their names. */
export const PERIODS = {
  hour: { span: 'hour', count: 2 },
  day: { span: 'hour', count: 24 },
  month: { span: 'day', count: 30 },
} as const satisfies Readonly<Record<string, Period>>;

/** The name of a stretch of time. */
export type PeriodName = keyof typeof PERIODS;

/** The query of `GET /v1/flows/{name}/statistics`. */
export const STATISTICS_QUERY = new RequestQuery({
  over: orElse(
    parameter(
      '`hour`: this hour and the one before; `day`: 24 hours; `month`: 30 days of UTC.',
      wordRule(['hour', 'day', 'month'], '`hour`, `day` or `month`'),
    ),
    'day',
  ),
});
