import type { StatisticsCells } from '../statistics-cells.js';
import type { Database, Row, Statement } from './database.js';

/** The statements of statistics of flows. */
export class StatisticsStatements {
  readonly #put: Statement;
  readonly #find: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    const columns = 'flow, span, start, owner, record';
    this.#put = db.prepare(
      `INSERT INTO statistics (${columns}) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET record = excluded.record`,
    );
    this.#find = db.prepare(
      `SELECT ${columns} FROM statistics WHERE flow = ? AND span = ? AND start >= ?
        ORDER BY start DESC, owner LIMIT ?`,
    );
    this.#remove = db.prepare(
      `DELETE FROM statistics WHERE id IN
        (SELECT id FROM statistics WHERE span = ? AND start < ? LIMIT ?)`,
    );
  }

  /** Each takes the place of what was stored under its key. */
  put(rows: readonly StatisticsCells[]): number {
    return rows.reduce((count, cells) => count + this.#put.run([...cells]), 0);
  }

  /** The newest rows of a flow that begin then or later. */
  find(cells: readonly [flow: string, span: string, from: number, limit: number]): readonly Row[] {
    return this.#find.rows([...cells]);
  }

  /** Tells how many there were. */
  remove(cells: readonly [span: string, before: number, limit: number]): number {
    return this.#remove.run([...cells]);
  }
}
