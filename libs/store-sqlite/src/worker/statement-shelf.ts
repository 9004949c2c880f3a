import type { Database, Statement } from './database.js';

/** Statements that are kept; their kinds are few unless callers ask for many labels at once. */
const STATEMENTS_MAX = 100;

/** Prepared statements whose text depends on what is asked for. */
export class StatementShelf {
  readonly #db: Database;
  readonly #known = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The statement of this text, prepared now or before. */
  prepare(sql: string): Statement {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    if (this.#known.size >= STATEMENTS_MAX) this.#known.clear();
    const statement = this.#db.prepare(sql);
    this.#known.set(sql, statement);
    return statement;
  }
}
