import type { Answer } from '../answer.js';
import type { ChangesAsked } from '../changes-asked.js';
import type { Database, Statement } from './database.js';
import type { TaskReads } from './task-reads.js';

/** By the index alone, but for the ids. */
const CHANGES =
  'SELECT p.change, t.task_id FROM progress p JOIN task t ON t.id = p.id ' +
  'WHERE p.change >= ? ORDER BY p.change LIMIT ?';

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
