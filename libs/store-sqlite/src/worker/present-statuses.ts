import { TASK_STATUS } from '#core';
import type { Cell } from '../protocol.js';
import type { Database, Statement } from './database.js';

/** As many as are asked for: one more than there are. */
const MOST = Object.keys(TASK_STATUS).length + 1;

/** Each status is found by a search from the one before, however many tasks have it. */
export const PRESENT =
  'WITH RECURSIVE present(status) AS (SELECT min(status) FROM progress UNION ALL ' +
  'SELECT (SELECT min(status) FROM progress WHERE status > present.status) FROM present ' +
  `WHERE present.status IS NOT NULL LIMIT ${MOST}) ` +
  'SELECT status FROM present WHERE status IS NOT NULL';

/**
 * The statuses that tasks of the file have. A list in the order of time looks at the tasks of each
 * status, and looking where there are none costs nearly as much.
 */
export class PresentStatuses {
  readonly #present: Statement;

  constructor(db: Database) {
    this.#present = db.prepare(PRESENT);
  }

  /** Those that are there, also what is none; null: too many of what is none to tell. */
  read(): readonly Cell[] | null {
    const rows = this.#present.rows([]);
    return rows.length < MOST ? rows.map(([status = null]) => status) : null;
  }
}
