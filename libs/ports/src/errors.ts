/**
 * The store did not answer, or answered that it cannot now. Nothing is known about writes in
 * flight. Never turned into a task's failure.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/**
 * The broker did not take a message in time, or cannot be reached. Never turned into a task's
 * failure.
 */
export class TransportUnavailable extends Error {
  override readonly name = 'TransportUnavailable';
}

/** A list was asked for with a cursor that no page gave. The caller's mistake. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/**
 * The stored document of this very task cannot be read. Nothing was changed; reading it again helps
 * once somebody has mended it.
 */
export class TaskUnreadable extends Error {
  override readonly name = 'TaskUnreadable';

  /** `reason` names the member that is wrong. */
  constructor(
    readonly taskId: string,
    readonly reason: string,
  ) {
    super(`Task ${taskId} cannot be read: ${reason}.`);
  }
}
