import { LINE_MAX } from '#core/task';
import type { LinesAsked, LockCells } from '../protocol.js';
import type { Database, Row, Statement } from './database.js';

/**
 * The statements of the lines of locks. Those that write run within a transaction of the caller's.
 */
export class LockStatements {
  readonly #enter: Statement;
  readonly #leave: Statement;
  readonly #head: Statement;
  readonly #names: Statement;

  constructor(db: Database) {
    this.#enter = db.prepare(
      'INSERT INTO lock_line (name, task_id, number, slots, since) VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT DO NOTHING',
    );
    this.#leave = db.prepare('DELETE FROM lock_line WHERE name = ? AND task_id = ? AND number = ?');
    this.#head = db.prepare(
      'SELECT task_id, number, slots, since FROM lock_line WHERE name = ? ORDER BY id LIMIT ?',
    );
    this.#names = db.prepare(
      'SELECT DISTINCT name FROM lock_line WHERE name > ? ORDER BY name LIMIT ?',
    );
  }

  /** Puts a ticket at the end of a line, unless it is there; tells the line. */
  enter(name: string, cells: LockCells): readonly Row[] {
    this.#enter.run([name, ...cells]);
    return this.#read(name);
  }

  /** Takes a ticket out of a line; tells the line as it was. */
  leave(name: string, taskId: string, number: number): readonly Row[] {
    const before = this.#read(name);
    this.#leave.run([name, taskId, number]);
    return before;
  }

  /** Names of lines behind one, or the first of a line. */
  answer(asked: LinesAsked): readonly Row[] {
    return asked[0] === 'head' ? this.#read(asked[1]) : this.#names.rows([asked[1], asked[2]]);
  }

  #read(name: string): readonly Row[] {
    return this.#head.rows([name, LINE_MAX]);
  }
}
