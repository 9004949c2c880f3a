/** A schedule as stored: `tag` tells its writes apart. */
export type ScheduleCells = readonly [tag: string, dueAt: number | null, record: string];

/** Which schedules are read. */
export type SchedulesAsked =
  | readonly [kind: 'one', name: string]
  | readonly [kind: 'due', now: number, limit: number, skip: number]
  | readonly [kind: 'names', after: string, limit: number, skip: number];
