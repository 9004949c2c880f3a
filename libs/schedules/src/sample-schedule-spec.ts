import type { ScheduleOrder, ScheduleRecord } from '#ports';
import { makeSchedule } from './change-schedule.js';
import { type PlanFacts, planMoments } from './plan-moments.js';

/** When the schedules of specs are stored. */
export const START = Date.parse('2027-01-01T00:00:00Z');

export const MINUTE = 60_000;

/** Something to start every ten minutes. */
export function orderWith(more: Partial<ScheduleOrder> = {}): ScheduleOrder {
  return {
    flow: 'test-flow',
    parameters: {},
    labels: {},
    priority: 0,
    timing: { every: '10m' },
    timezone: 'UTC',
    overlap: 'skip',
    catchUp: 'last',
    ...more,
  };
}

/** A schedule that was stored at the start. */
export function scheduleWith(more: Partial<ScheduleOrder> = {}): ScheduleRecord {
  const put = { by: 'ann', now: START, isPaused: undefined, order: orderWith(more) };
  return makeSchedule({ name: 's', id: 'id' }, put);
}

/** The facts of a gateway that lives long and sees that nothing runs. */
function factsAt(now: number, more: Partial<PlanFacts> = {}): PlanFacts {
  return { now, since: 0, isFree: true, idOf: (moment) => `task of ${moment}`, ...more };
}

/** One decision. */
export function plan(
  record: ScheduleRecord,
  now: number,
  more: Partial<PlanFacts> = {},
): ScheduleRecord {
  return planMoments(record, factsAt(now, more));
}
