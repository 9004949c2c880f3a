/** A question about lines: the names behind one, or the head of one. */
export type LinesAsked =
  readonly [kind: 'names', after: string, limit: number] | readonly [kind: 'head', name: string];

/** One of a line. */
export type LockCells = readonly [taskId: string, number: number, slots: number, since: number];
