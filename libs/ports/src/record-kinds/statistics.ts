import { COUNT, DATE, listOf, OBJECT, oneOf, type Rule, TEXT, withMembers } from '#core/json';
import { recordKind } from '../record-kind.js';

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

/**
 * Statistics of flows. Each process writes rows of its own, whole, so that a write that is repeated
 * changes nothing; a reader adds up the rows of all owners. `flow`: those of a flow and a span;
 * `span`: those of a span.
 */
export const STATISTICS = recordKind<StatisticsRow, 'flow' | 'span'>({
  name: 'statistics',
  plural: 'flow_statistics',
  shape: {
    flow: TEXT,
    span: oneOf(['hour', 'day'], 'a span'),
    start: DATE,
    owner: TEXT,
    started: COUNT,
    ended: COUNTS,
    rollbackFailed: COUNT,
    duration: DURATION,
    steps: listOf(STEP, 'a list of statistics of steps'),
  },
  idOf: ({ flow, owner, span, start }) => `${span} ${start} ${owner} ${flow}`,
  moments: ['start'],
  indexes: { flow: { of: ['span', 'flow'], by: 'start' }, span: { of: ['span'], by: 'start' } },
});
