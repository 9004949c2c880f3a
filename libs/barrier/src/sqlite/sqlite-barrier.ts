import type { JsonObject } from '#core';
import type { Barrier, BarrierContext, Clock, Effect, Undo } from '#ports';
import { judgeForward, judgeRollback, type Mark } from '../mark.js';
import { BarrierRefusal } from '../refusal.js';
import type { IntentLog } from '../intent-barrier.js';
import type { SqliteFile } from './sqlite-file.js';
import { findMark, type MarkUpdate, putMark, seeToken, SqliteMarks } from './sqlite-marks.js';
import type { SqliteTx } from './sqlite-tx.js';

/**
 * The barrier of a participant whose effects are rows of the same SQLite file: effect and mark are
 * one transaction, so an effect is there exactly when its mark says so. Effects are synchronous.
 */
export class SqliteBarrier implements Barrier<SqliteTx> {
  readonly #marks: SqliteMarks;

  constructor(
    private readonly file: SqliteFile,
    private readonly clock: Clock,
  ) {
    this.#marks = new SqliteMarks(file);
  }

  async forward<T extends object = JsonObject>(
    context: BarrierContext,
    effect: Effect<SqliteTx, T>,
  ): Promise<T | null> {
    try {
      return await this.file.write((tx) => this.#apply(tx, context, effect));
    } catch (error) {
      if (!(error instanceof BarrierRefusal)) await this.#see(context).catch(() => undefined);
      throw error;
    }
  }

  rollback<T extends object = JsonObject>(
    context: BarrierContext,
    undo: Undo<SqliteTx, T>,
  ): Promise<void> {
    return this.file.write((tx) => {
      const mark = findMark(tx, context);
      const todo = judgeRollback(mark, context);
      if (todo === 'done') return;
      putMark(tx, context, { state: 'undone', now: this.clock.now() });
      // An open mark is an attempt that left nothing: its transaction never was.
      if (todo === 'undo') atOnce(undo(tx, (mark?.output ?? null) as T | null));
    });
  }

  oldTasks(before: number): AsyncIterable<readonly string[]> {
    return this.#marks.oldTasks(before);
  }

  forget(taskIds: readonly string[], before: number): Promise<number> {
    return this.#marks.forget(taskIds, before);
  }

  #apply<T extends object>(
    tx: SqliteTx,
    context: BarrierContext,
    effect: Effect<SqliteTx, T>,
  ): T | null {
    const mark = findMark(tx, context);
    if (judgeForward(mark, context) === 'done') return (mark?.output ?? null) as T | null;
    const output = atOnce(effect(tx));
    const kept = output as JsonObject | null;
    putMark(tx, context, { state: 'applied', output: kept, now: this.clock.now() });
    return output;
  }

  /** The effect threw and is gone; its token still counts against older attempts. */
  #see(context: BarrierContext): Promise<void> {
    return this.file.write((tx) => seeToken(tx, context, this.clock.now()));
  }
}

function atOnce<T>(value: T | Promise<T>): T {
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  throw new TypeError('an effect on an SQLite file is synchronous: it must not return a promise');
}

/** Keeps the intents of effects outside a database in an SQLite file. */
export class SqliteIntents extends SqliteMarks implements IntentLog {
  readonly #file: Pick<SqliteFile, 'read' | 'write'>;
  readonly #clock: Clock;

  constructor(file: Pick<SqliteFile, 'read' | 'write'>, clock: Clock) {
    super(file);
    this.#file = file;
    this.#clock = clock;
  }

  change(
    context: BarrierContext,
    decide: (mark: Mark | null) => Omit<MarkUpdate, 'now'> | null,
  ): Promise<Mark | null> {
    return this.#file.write((tx) => {
      const mark = findMark(tx, context);
      const update = decide(mark);
      if (update !== null) putMark(tx, context, { ...update, now: this.#clock.now() });
      return mark;
    });
  }
}
