import type { ScheduleCells, SchedulesAsked } from '../schedule-cells.js';
import type { PreviousRow } from '../named-row.js';
import type { Database, Row, Statement } from './database.js';
import { NamedStatement } from './named-statement.js';

/** The statements of schedules. */
export class ScheduleStatements {
  readonly #insert: Statement;
  readonly #update: NamedStatement;
  readonly #remove: NamedStatement;
  readonly #one: Statement;
  readonly #due: Statement;
  readonly #names: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO schedule (name, tag, due_at, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    const set = 'UPDATE schedule SET tag = ?, due_at = ?, record = ?';
    this.#update = new NamedStatement(db, set);
    this.#remove = new NamedStatement(db, 'DELETE FROM schedule');
    const select = 'SELECT name, tag, record, due_at FROM schedule';
    this.#one = db.prepare(`${select} WHERE name = ?`);
    this.#due = db.prepare(`${select} WHERE due_at <= ? ORDER BY due_at, name LIMIT ? OFFSET ?`);
    this.#names = db.prepare(`${select} WHERE name > ? ORDER BY name LIMIT ? OFFSET ?`);
  }

  /**
   * Stores a schedule in the place of another; `cells` null removes that. Tells how many it was
   * of: 0 or 1.
   */
  change(name: string, previous: PreviousRow, cells: ScheduleCells | null): number {
    if (cells === null) return this.#remove.run([], name, previous);
    if (previous === null) return this.#insert.run([name, ...cells]);
    return this.#update.run(cells, name, previous);
  }

  /** Names, tags, records and due times of those that are asked for. */
  answer(asked: SchedulesAsked): readonly Row[] {
    if (asked[0] === 'one') return this.#one.rows([asked[1]]);
    const many = asked[0] === 'due' ? this.#due : this.#names;
    return many.rows([asked[1], asked[2], asked[3]]);
  }
}
