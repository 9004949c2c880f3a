import type { JsonObject } from '#core';
import type { CommandContext } from './command-handler.js';

/** The parts of an attempt's context that a barrier needs. */
export type BarrierContext = Pick<CommandContext, 'taskId' | 'run' | 'fencingToken'>;

/** A value that a barrier's callbacks may return at once or by a promise. */
export type Awaitable<T> = T | Promise<T>;

/**
 * The effect of a normal action on the participant's own store; its result is kept, and returned on
 * repetition as JSON gives it back.
 */
export type Effect<Tx, Output extends object = JsonObject> = (tx: Tx) => Awaitable<Output | null>;

/** Takes an effect back. `output` is what the effect gave, null where that was never stored. */
export type Undo<Tx, Output extends object = JsonObject> = (
  tx: Tx,
  output: Output | null,
) => Awaitable<void>;

/**
 * The marks that a participant keeps of its effects, by the tasks that they are of. A mark is
 * needed for as long as its task may act or be acted on; after that it only takes room.
 */
export interface TaskMarks {
  /**
   * Ids of the tasks with a mark that nobody has touched since `before`, milliseconds since 1970,
   * in bounded batches. A task of several such marks may come more than once. Throws
   * `StoreUnavailable` where the participant's store is away.
   */
  oldTasks(before: number): AsyncIterable<readonly string[]>;
  /**
   * Forgets the marks of these tasks that nobody has touched since `before`. Resolves to how many
   * these were. The caller sees to it that none of the tasks exists any more: an attempt that comes
   * after this has its effect again, and an undo finds nothing to undo.
   */
  forget(taskIds: readonly string[], before: number): Promise<number>;
}

/**
 * Guards a participant's effects, one per (task, run), against everything that repeated, late and
 * overtaking messages do: whatever the order of attempts, the net effect is one after a success and
 * none after a rollback.
 */
export interface Barrier<Tx> extends TaskMarks {
  /**
   * Runs the effect unless it has been, and returns its output. Refused without an effect:
   * `StaleToken` where a newer attempt has been here, `Superseded` where the rollback has.
   */
  forward<T extends object = JsonObject>(
    context: BarrierContext,
    effect: Effect<Tx, T>,
  ): Promise<T | null>;
  /**
   * Bars the effect for good, and undoes it if there may be one. Does nothing on repetition, or
   * where the effect never was. `StaleToken` where a newer attempt has been here.
   */
  rollback<T extends object = JsonObject>(
    context: BarrierContext,
    undo: Undo<Tx, T>,
  ): Promise<void>;
}
