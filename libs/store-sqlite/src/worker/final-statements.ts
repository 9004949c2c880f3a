import { PLACES } from '../places.js';
import type { RemovalCells } from '../protocol.js';
import type { Database, Statement } from './database.js';

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
