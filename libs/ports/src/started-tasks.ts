/**
 * Counts the tasks that bounds on flows are about. Every method may throw `StoreUnavailable`.
 */
export interface StartedTasks {
  /**
   * How many tasks of a flow, of whatever version, are not final, child tasks left out; at most
   * `limit`, which is at least 1. It sees what this process stored, and what others stored that is
   * durable. Cost grows neither with finished tasks nor, beyond `limit`, with live ones.
   */
  countStarted(flow: string, limit: number): Promise<number>;
}
