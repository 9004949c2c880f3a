/** Which child tasks are looked for. */
export interface ChildFilter {
  readonly parent: string;
  readonly run: string;
  readonly statuses: readonly number[] | null;
  readonly before: number;
  readonly limit: number;
}

/** A child task as it is found. */
export type StoredChild = readonly [taskId: string, index: number, status: number];
