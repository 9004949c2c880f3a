import type { ChildFilter } from '../child-cells.js';
import type { Database, Row, Statement } from './database.js';
import { StatementShelf } from './statement-shelf.js';

const COUNT = 'SELECT status, count(*) FROM progress WHERE parent = ? AND run = ? GROUP BY status';

/** The statements that find child tasks. */
export class ChildStatements {
  readonly #count: Statement;
  readonly #lists: StatementShelf;

  constructor(db: Database) {
    this.#count = db.prepare(COUNT);
    this.#lists = new StatementShelf(db);
  }

  /** How many of them have each status. */
  count(parent: string, run: string): readonly Row[] {
    return this.#count.rows([parent, run]);
  }

  /** The highest indexes first. */
  find({ before, limit, parent, run, statuses }: ChildFilter): readonly Row[] {
    const marks = statuses?.map(() => '?').join(', ');
    const among = marks === undefined ? '' : `p.status IN (${marks}) AND `;
    const sql =
      'SELECT t.task_id, p.child, p.status FROM progress p JOIN task t ON t.id = p.id ' +
      `WHERE p.parent = ? AND p.run = ? AND ${among}p.child < ? ORDER BY p.child DESC LIMIT ?`;
    const parameters = [parent, run, ...(statuses ?? []), before, limit];
    return this.#lists.prepare(sql).rows(parameters);
  }
}
