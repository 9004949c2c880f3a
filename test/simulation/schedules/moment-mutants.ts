import type { ScheduleRecord, TaskStore } from '#ports';
import type { ScheduleStarter } from '#schedules';
import type { DueSchedules } from './mortal-gateway.js';

/** A bug of schedules, put in around the production code. */
export interface MomentMutant {
  readonly name: string;
  /** The bug, in words. */
  readonly bug: string;
  /** Stands between the scheduler and its store. */
  readonly schedules?: (inner: DueSchedules) => DueSchedules;
  /** Makes the tasks of moments. */
  readonly starter?: (inner: ScheduleStarter) => ScheduleStarter;
  /** Stands between the scheduler and the tasks that it started. */
  readonly tasks?: (inner: Pick<TaskStore, 'get'>) => Pick<TaskStore, 'get'>;
}

let made = 0;

/** Every bug that the years of schedules must find. */
export const MOMENT_MUTANTS: readonly MomentMutant[] = [
  {
    name: 'moment-started-twice',
    bug: 'each gateway that carries out a start makes a task of its own for it',
    starter: (inner) => ({
      start: (record, start) =>
        inner.start(record, { ...start, taskId: `${start.taskId}:${(made += 1)}` }),
    }),
  },
  {
    name: 'moment-lost-at-death',
    bug: 'a moment counts as started as soon as its start is decided on',
    schedules: (inner) => ({
      ...bound(inner),
      put: (next, previous) => {
        if (next.starting === null) return inner.put(next, previous);
        const counts = { ...next.counts, started: next.counts.started + 1 };
        return inner.put({ ...next, starting: null, dueAt: next.nextAt, counts }, previous);
      },
    }),
  },
  {
    name: 'catch-up-ignored',
    bug: 'all moments are made up for that passed while no gateway lived',
    schedules: (inner) => withOrder(inner, { catchUp: 'all' }),
  },
  {
    name: 'catch-up-forgotten',
    bug: 'no moment is made up for that passed while no gateway lived',
    schedules: (inner) => withOrder(inner, { catchUp: 'none' }),
  },
  {
    name: 'overlap-ignored',
    bug: 'the task before counts as ended whatever it does',
    tasks: () => ({ get: async () => null }),
  },
];

/** A store whose schedules have other rules when they are read, and their own when written. */
function withOrder(inner: DueSchedules, other: Partial<ScheduleRecord['order']>): DueSchedules {
  const own = new Map<string, ScheduleRecord['order']>();
  const changed = (record: ScheduleRecord): ScheduleRecord => {
    own.set(record.name, record.order);
    return { ...record, order: { ...record.order, ...other } };
  };
  return {
    ...bound(inner),
    get: async (name) => {
      const record = await inner.get(name);
      return record && changed(record);
    },
    list: async (query) => (await inner.list(query)).map(changed),
    put: (next, previous) =>
      inner.put({ ...next, order: own.get(next.name) ?? next.order }, previous),
  };
}

function bound(inner: DueSchedules): DueSchedules {
  return {
    get: (name) => inner.get(name),
    put: (next, previous) => inner.put(next, previous),
    list: (query) => inner.list(query),
  };
}
