import { listOf, object, ref } from './schema-parts.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const seconds = { type: 'integer', description: 'Seconds since 1970.' };
const rate = (of: string): object => ({
  oneOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }],
  description: `Share of ${of}, from 0 to 1; null: there are none.`,
});
const duration = {
  oneOf: [ref('StatisticsDuration'), { type: 'null' }],
  description: 'Null: nothing ended.',
};

const ends = {
  started: { ...whole, description: 'Tasks that were created.' },
  ended: {
    ...object({ succeeded: whole, rolled_back: whole, terminated: whole }),
    description: 'Tasks that ended, by status. A task that is undone later ends twice.',
  },
  rollbackFailed: {
    ...whole,
    description: 'Rollbacks of steps that failed for good, so that a person was called.',
  },
  successRate: rate('the tasks that ended, those that succeeded'),
  duration,
};

/** The schemas of the statistics of flows. */
export const STATISTICS_SCHEMAS: Readonly<Record<string, object>> = {
  StatisticsDuration: object({
    p50: { type: 'number', description: 'Seconds; half of them took no longer, within 20 %.' },
    p95: { type: 'number', description: 'The same of 95 in 100.' },
    max: { type: 'number', description: 'Seconds that the longest took.' },
  }),
  StatisticsInterval: object({ at: seconds, ...ends }),
  StepStatistics: object({
    step: {
      ...text,
      description: 'Its name, after the names of the steps around it; `*`: all further steps.',
    },
    direction: { type: 'string', enum: ['normal', 'rollback'] },
    succeeded: whole,
    failed: { ...whole, description: 'They failed, timed out or were lost, with no attempt left.' },
    cancelled: whole,
    retries: { ...whole, description: 'Attempts that were followed by another one.' },
    failureRate: rate('those that succeeded or failed, those that failed'),
    duration: { ...duration, description: 'From the first start to the end, with all retries.' },
    errors: {
      ...listOf(object({ code: text, count: whole })),
      description:
        'The most frequent error codes of attempts that failed; `*`: all codes that are rare.',
    },
  }),
  FlowStatistics: object({
    flow: text,
    over: { type: 'string', enum: ['hour', 'day', 'month'] },
    from: { ...seconds, description: 'Begin of the first interval, in seconds since 1970.' },
    to: seconds,
    every: { ...whole, description: 'Length of an interval, in seconds.' },
    isComplete: {
      type: 'boolean',
      description: 'False: there is more than can be added up; the newest is shown.',
    },
    ...ends,
    intervals: { ...listOf(ref('StatisticsInterval')), description: 'The oldest first.' },
    steps: listOf(ref('StepStatistics')),
  }),
};
