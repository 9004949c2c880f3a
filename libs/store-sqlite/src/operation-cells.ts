/** An operation as stored: what it is looked for by, and all of it as JSON. */
export type OperationCells = readonly [
  id: string,
  createdAt: number,
  /** 1: it is a new one. */
  revision: number,
  dueAt: number | null,
  record: string,
];

/** A write of an operation, or the removal of some that ended at a moment or before. */
export type OperationsChange =
  | readonly [kind: 'write', cells: OperationCells]
  | readonly [kind: 'remove', endedBefore: number, limit: number];

/** Which operations are asked for. */
export type OperationsAsked =
  | readonly [kind: 'one', id: string]
  /** The newest behind this position. */
  | readonly [kind: 'list', createdAt: number, id: string, limit: number, skip: number]
  | readonly [kind: 'due', now: number, limit: number, skip: number];
