/** A definition that is to be stored as the newest. */
export type PutCells = readonly [
  name: string,
  hash: string,
  definition: string,
  now: number,
  expected: readonly number[] | null,
  /** A version that is not to count as this one, as it cannot be read; 0: none. */
  broken: number,
];

/** The newest version of a flow. */
export type StoredHead = readonly [name: string, version: number, standing: string];

/** The result of retiring a flow. */
export type StoredRetirement = readonly [kind: 'retired' | 'unknown' | 'moved', version: number];

/** The stored columns of a command. */
export type CommandCells = readonly [updatedAt: number, defaults: string];

/** The stored columns of the result of a drill. */
export type DrillCells = readonly [
  name: string,
  version: number,
  at: number,
  failures: number,
  total: number,
];

/** A read of results of drills: of one flow, up to a version, or of all. */
export type DrillsAsked = readonly [kind: 'upTo', name: string, version: number] | readonly ['all'];
