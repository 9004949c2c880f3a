import type { Database, Row, Statement } from './database.js';

/** The statements of the audit log. */
export class AuditStatements {
  readonly #insert: Statement;
  readonly #newest: Statement;
  readonly #upward: Statement;
  readonly #downward: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO audit VALUES (?, ?)');
    this.#newest = db.prepare('SELECT max(seq) FROM audit');
    this.#upward = db.prepare('SELECT seq, entry FROM audit WHERE seq > ? ORDER BY seq LIMIT ?');
    this.#downward = db.prepare(
      'SELECT seq, entry FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    );
    this.#remove = db.prepare(
      'DELETE FROM audit WHERE seq <= ? AND seq < (SELECT max(seq) FROM audit)',
    );
  }

  /** Adds entries, all or none: none where the first is not the next one. */
  append(first: number, entries: readonly string[]): number {
    if (Number(this.#newest.row([])?.[0] ?? 0) + 1 !== first) return 0;
    for (const [n, entry] of entries.entries()) this.#insert.run([first + n, entry]);
    return entries.length;
  }

  /** Removes entries up to a number, and never the newest one; returns how many. */
  remove(upTo: number): number {
    return this.#remove.run([upTo]);
  }

  /** Numbers and texts of entries beyond a number, or from that end of the log on. */
  read(beyond: number | null, isNewestFirst: boolean, limit: number): readonly Row[] {
    return isNewestFirst
      ? this.#downward.rows([beyond ?? Number.MAX_SAFE_INTEGER, limit])
      : this.#upward.rows([beyond ?? 0, limit]);
  }
}
