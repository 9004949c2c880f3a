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
