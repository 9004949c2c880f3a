import type { PreviousRow } from '../named-row.js';
import type { Database, Parameter, Statement } from './database.js';

/** A write of the row of a name, on the condition that it is still the one that was read. */
export class NamedStatement {
  readonly #byTag: Statement;
  readonly #byBytes: Statement;

  /** `sql` ends before its condition. */
  constructor(db: Database, sql: string) {
    this.#byTag = db.prepare(`${sql} WHERE name = ? AND tag = ?`);
    this.#byBytes = db.prepare(`${sql} WHERE name = ? AND hex(record) = ?`);
  }

  /** Tells how many rows it was of: 0 or 1. */
  run(cells: readonly Parameter[], name: string, previous: PreviousRow): number {
    if (previous === null) return 0;
    if (typeof previous === 'string') return this.#byTag.run([...cells, name, previous]);
    return this.#byBytes.run([...cells, name, previous[0]]);
  }
}
