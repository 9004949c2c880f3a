import { TASK_STATUS } from '#core';
import type { ChildFilter } from '../child-cells.js';
import type { Request } from '../protocol.js';
import type { Database, Row, Statement } from './database.js';
import { StatementShelf } from './statement-shelf.js';

/** With all statuses written out, the index leads to the range of each. */
const COUNT =
  'SELECT status, count(*) FROM progress WHERE parent = ? AND run = ? ' +
  `AND status IN (${Object.values(TASK_STATUS).join(', ')}) ` +
  'AND child >= ? AND child < ? GROUP BY status';

type CountRequest = Extract<Request, readonly ['countChildren', ...unknown[]]>;

/** The statements that find child tasks. */
export class ChildStatements {
  readonly #count: Statement;
  readonly #lists: StatementShelf;

  constructor(db: Database) {
    this.#count = db.prepare(COUNT);
    this.#lists = new StatementShelf(db);
  }

  /** How many of them have each status. */
  count([, ...range]: CountRequest): readonly Row[] {
    return this.#count.rows(range);
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
