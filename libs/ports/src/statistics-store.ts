import { COUNT, DATE, listOf, OBJECT, oneOf, readStoredJson, TEXT, withMembers } from '#core';
import type { Rule } from '#core';
import { recordCheck } from './record-form.js';

/** The length of time that a row of statistics is about: an hour or a day, both of UTC. */
export type StatisticsSpan = 'hour' | 'day';

/** How long something took, so often: it adds up over rows. */
export interface DurationStatistics {
  readonly count: number;
  /** Milliseconds in all. */
  readonly sumMs: number;
  readonly maxMs: number;
  /**
   * How many lie in each bucket, by its number: bucket `n` has those of more than 2^((n-1)/2) and
   * at most 2^(n/2) milliseconds, bucket 0 those of at most one. Buckets without any are absent.
   */
  readonly buckets: Readonly<Record<string, number>>;
}

/** How one action of a flow did, over all of its runs. */
export interface StepStatistics {
  /** Names of the steps around it and its own, with `/` between them; `*`: all further steps. */
  readonly step: string;
  readonly direction: 'normal' | 'rollback';
  readonly succeeded: number;
  /** Ended with a failure, with no attempt left. */
  readonly failed: number;
  /** Called off before they came to an end. */
  readonly cancelled: number;
  /** Attempts that failed and were followed by another one. */
  readonly retries: number;
  /** Of those that succeeded or failed, from the first start to the end. */
  readonly duration: DurationStatistics;
  /** Attempts that failed, by error code; `*`: all further codes. */
  readonly errors: Readonly<Record<string, number>>;
}

/** The counts of one process, of one flow in one hour or day. */
export interface StatisticsRow {
  readonly flow: string;
  readonly span: StatisticsSpan;
  /** Begin of the hour or day, milliseconds since 1970. */
  readonly start: number;
  /** The process that counted, and which of its counts it is. */
  readonly owner: string;
  /** Tasks that were created. */
  readonly started: number;
  /** Tasks that ended, by the name of their status. */
  readonly ended: Readonly<Record<string, number>>;
  /** Rollbacks of steps that failed for good, so that a person was called. */
  readonly rollbackFailed: number;
  /** Of the tasks that ended, from their creation to their end. */
  readonly duration: DurationStatistics;
  readonly steps: readonly StepStatistics[];
}

/** The rows that are asked for. */
export interface StatisticsQuery {
  readonly flow: string;
  readonly span: StatisticsSpan;
  /** Those that begin then or later, milliseconds since 1970. */
  readonly from: number;
  /** Most rows: of more, the newest. */
  readonly limit: number;
}

/**
 * Statistics of flows. Each process writes rows of its own, whole, so that a write that is repeated
 * changes nothing; a reader adds up the rows of all owners. May throw `StoreUnavailable`.
 */
export interface StatisticsStore {
  /** Each takes the place of the row with the same flow, span, start and owner. */
  putStatistics(rows: readonly StatisticsRow[]): Promise<void>;
  /** The newest first. Those that cannot be read are left out. */
  findStatistics(query: StatisticsQuery): Promise<readonly StatisticsRow[]>;
  /** Removes rows of this span that begin before this moment, at most so many; tells how many. */
  removeStatistics(span: StatisticsSpan, before: number, limit: number): Promise<number>;
}

/** The id of a row, under which it is stored. */
export function statisticsId({ flow, owner, span, start }: RowKey): string {
  return `${span} ${start} ${owner} ${flow}`;
}

/** Whether it is the id of a row of this span that begins before this moment. */
export function isStatisticsBefore(id: string, span: StatisticsSpan, before: number): boolean {
  const [of, start] = id.split(' ', 2);
  return of === span && Number(start) < before;
}

type RowKey = Pick<StatisticsRow, 'flow' | 'owner' | 'span' | 'start'>;

const COUNTS: Rule = {
  holds: (value) => OBJECT.holds(value) && Object.values(value as object).every(COUNT.holds),
  means: 'an object of counts',
};

const DURATION = withMembers<DurationStatistics>(
  { count: COUNT, sumMs: COUNT, maxMs: COUNT, buckets: COUNTS },
  'durations',
);

const STEP = withMembers<StepStatistics>(
  {
    step: TEXT,
    direction: oneOf(['normal', 'rollback'], 'a direction'),
    succeeded: COUNT,
    failed: COUNT,
    cancelled: COUNT,
    retries: COUNT,
    duration: DURATION,
    errors: COUNTS,
  },
  'statistics of a step',
);

const check = recordCheck<StatisticsRow>({
  flow: TEXT,
  span: oneOf(['hour', 'day'], 'a span'),
  start: DATE,
  owner: TEXT,
  started: COUNT,
  ended: COUNTS,
  rollbackFailed: COUNT,
  duration: DURATION,
  steps: listOf(STEP, 'a list of statistics of steps'),
});

/** The row behind a stored text. Throws `DocumentFault`. */
export function readStatistics(text: unknown): StatisticsRow {
  return check(readStoredJson(text, 'record'));
}
