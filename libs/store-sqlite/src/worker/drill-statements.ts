import type { DrillCells, DrillsAsked } from '../definition-cells.js';
import type { Database, Statement } from './database.js';

/** The statements of results of drills. */
export class DrillStatements {
  readonly #put: Statement;
  readonly #upTo: Statement;
  readonly #all: Statement;

  constructor(db: Database) {
    const columns = 'name, version, at, failures, total';
    this.#put = db.prepare(`INSERT OR REPLACE INTO drill (${columns}) VALUES (?, ?, ?, ?, ?)`);
    this.#upTo = db.prepare(
      `SELECT ${columns} FROM drill WHERE name = ? AND version <= ? ORDER BY version DESC LIMIT 1`,
    );
    this.#all = db.prepare(
      `SELECT ${columns} FROM drill AS one WHERE version =
        (SELECT max(version) FROM drill WHERE name = one.name) ORDER BY name`,
    );
  }

  /** Takes the place of what was stored of the same version. */
  put(cells: DrillCells): number {
    return this.#put.run([...cells]);
  }

  /** The rows that are asked for. */
  read(asked: DrillsAsked): readonly (readonly unknown[])[] {
    return asked[0] === 'all' ? this.#all.rows([]) : this.#upTo.rows([asked[1], asked[2]]);
  }
}
