import { TASK_STATUS } from '#core/task';
import { PLACES } from '../places.js';
import type { Answer, ChangesAsked, ChildFilter, RemovalCells, Request } from '../protocol.js';
import type { Database, Row, Statement } from './database.js';
import { StatementShelf } from './statement-shelf.js';
import type { TaskReads } from './task-reads.js';

/** By the index alone, but for the ids. */
const CHANGES =
  'SELECT p.change, t.task_id FROM progress p JOIN task t ON t.id = p.id ' +
  'WHERE p.change >= ? ORDER BY p.change LIMIT ?';

/** With all statuses written out, the index leads to the range of each. */
const COUNT =
  'SELECT status, count(*) FROM progress WHERE parent = ? AND run = ? ' +
  `AND status IN (${Object.values(TASK_STATUS).join(', ')}) ` +
  'AND child >= ? AND child < ? GROUP BY status';

type CountRequest = Extract<Request, readonly ['countChildren', ...unknown[]]>;

/** The statements that tell what has changed. */
export class ChangeStatements {
  readonly #from: Statement;
  readonly #reads: TaskReads;

  constructor(db: Database, reads: TaskReads) {
    this.#from = db.prepare(CHANGES);
    this.#reads = reads;
  }

  /** `newest`: the largest number that was given. */
  answer(asked: ChangesAsked, newest: number): Answer {
    switch (asked[0]) {
      case 'newest':
        return newest;
      case 'from':
        return this.#from.rows([asked[1], asked[2]]);
      default:
        return this.#summaries(asked[1]);
    }
  }

  #summaries(taskIds: readonly string[]): Answer {
    const rows = taskIds.map((taskId) => this.#reads.rowOf(taskId));
    return this.#reads.summariesOf(rows.filter((row) => row !== 0));
  }
}

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

/**
 * The statements that remove tasks. They run within a transaction of the caller's, so that nothing
 * of a task is left behind.
 */
export class FinalStatements {
  readonly #row: Statement;
  readonly #progress: Statement;
  readonly #task: Statement;
  readonly #beside: Statement;
  readonly #label: Statement;
  readonly #floor: Statement;

  constructor(db: Database) {
    this.#row = db.prepare('SELECT id FROM task WHERE task_id = ?');
    this.#progress = db.prepare('DELETE FROM progress WHERE id = ? AND revision = ?');
    this.#task = db.prepare('DELETE FROM task WHERE id = ?');
    this.#beside = db.prepare('DELETE FROM beside WHERE id >= ? AND id < ?');
    this.#label = db.prepare(
      'DELETE FROM label WHERE key = ? AND value = ? AND created_at = ? AND task = ?',
    );
    this.#floor = db.prepare(
      'UPDATE change_floor SET change = newest FROM ' +
        '(SELECT max(change) AS newest FROM progress WHERE change IS NOT NULL) ' +
        'WHERE change_floor.change < newest',
    );
  }

  /** Removes those that have the revision given; tells their number. */
  remove(tasks: readonly RemovalCells[]): number {
    let removed = 0;
    this.#floor.run([]);
    for (const cells of tasks) removed += this.#removeOne(cells);
    return removed;
  }

  /** Which of them are there. */
  findPresent(taskIds: readonly string[]): readonly string[] {
    return taskIds.filter((taskId) => this.#row.row([taskId]) !== undefined);
  }

  #removeOne([taskId, revision, createdAt, labels]: RemovalCells): number {
    const row = Number(this.#row.row([taskId])?.[0] ?? 0);
    if (row === 0 || this.#progress.run([row, revision]) === 0) return 0;
    this.#task.run([row]);
    this.#beside.run([row * PLACES, (row + 1) * PLACES]);
    for (const [key, value] of labels ?? []) this.#label.run([key, value, createdAt, row]);
    return 1;
  }
}
