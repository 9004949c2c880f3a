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
