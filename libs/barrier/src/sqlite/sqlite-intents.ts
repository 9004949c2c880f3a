import type { BarrierContext, Clock } from '#ports';
import type { IntentLog } from '../intent-barrier.js';
import type { Mark } from '../mark.js';
import type { SqliteFile } from './sqlite-file.js';
import { findMark, type MarkUpdate, putMark, SqliteMarks } from './sqlite-marks.js';

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
