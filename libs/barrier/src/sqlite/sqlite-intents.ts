import type { BarrierContext, Clock } from '#ports';
import type { IntentLog } from '../intent-barrier.js';
import type { Mark } from '../mark.js';
import type { SqliteFile } from './sqlite-file.js';
import { findMark, type MarkUpdate, pruneMarks, putMark } from './sqlite-marks.js';

/** Keeps the intents of effects outside a database in an SQLite file. */
export class SqliteIntents implements IntentLog {
  constructor(
    private readonly file: Pick<SqliteFile, 'write'>,
    private readonly clock: Clock,
  ) {}

  change(
    context: BarrierContext,
    decide: (mark: Mark | null) => Omit<MarkUpdate, 'now'> | null,
  ): Promise<Mark | null> {
    return this.file.write((tx) => {
      const mark = findMark(tx, context);
      const update = decide(mark);
      if (update !== null) putMark(tx, context, { ...update, now: this.clock.now() });
      return mark;
    });
  }

  prune(before: number): Promise<number> {
    return this.file.write((tx) => pruneMarks(tx, before));
  }
}
