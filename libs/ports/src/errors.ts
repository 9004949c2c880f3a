/**
 * The store did not answer, or answered that it cannot now. Nothing is known about writes in
 * flight. Never turned into a task's failure.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/**
 * The store is damaged, or is no longer the one that the process opened: its file was removed, its
 * database dropped. It comes back by no waiting; the message says for operators what to do.
 */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = 'StoreDamaged';
}

/**
 * The broker did not take a message in time, or cannot be reached. Never turned into a task's
 * failure.
 */
export class TransportUnavailable extends Error {
  override readonly name = 'TransportUnavailable';
}

/**
 * A process that works for this one does not start, was ended from outside, has too much to do, or
 * is stopped. It says nothing about the work itself, and is never turned into a task's failure.
 */
export class ProcessUnavailable extends Error {
  override readonly name: string = 'ProcessUnavailable';
}

/** Expressions cannot be evaluated now. */
export class EvaluatorUnavailable extends ProcessUnavailable {
  override readonly name = 'EvaluatorUnavailable';
}

/** Whether something that is needed does not answer now: no fault of ours, nor of a task's. */
export function isOutage(error: unknown): boolean {
  const kinds = [StoreUnavailable, TransportUnavailable, ProcessUnavailable];
  return kinds.some((kind) => error instanceof kind);
}

/** A list was asked for with a cursor that no page gave. The caller's mistake. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/**
 * The stored document of this very task cannot be read. Nothing was changed; reading it again helps
 * once a person has mended it.
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

/**
 * The stored record of this very kind and id cannot be read. Nothing was changed; reading it again
 * helps once a person has mended it.
 */
export class RecordUnreadable extends Error {
  override readonly name = 'RecordUnreadable';
  /** Out of sight of whatever shows an error: it may have secrets. */
  readonly #stored: unknown;

  /**
   * `kind`: its name in metrics and messages. `reason` names the member that is wrong; `stored` is
   * what the store found, by which it knows this very record again.
   */
  constructor(
    readonly kind: string,
    readonly id: string,
    readonly reason: string,
    stored?: unknown,
  ) {
    super(`The ${kind.replaceAll('_', ' ')} ${JSON.stringify(id)} cannot be read: ${reason}.`);
    this.#stored = stored;
  }

  /** The row that the store found; of no use to anybody else. */
  stored(): unknown {
    return this.#stored;
  }
}

/** Null in place of a task or a record that cannot be read; throws every other error. */
export function nullWhereUnreadable(error: unknown): null {
  if (error instanceof TaskUnreadable || error instanceof RecordUnreadable) return null;
  throw error;
}
