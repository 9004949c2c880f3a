import type { ScheduleCells, SchedulesAsked } from '../schedule-cells.js';
import type { Database, Row, Statement } from './database.js';

/** The statements of schedules. */
export class ScheduleStatements {
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #remove: Statement;
  readonly #one: Statement;
  readonly #due: Statement;
  readonly #names: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO schedule (name, tag, due_at, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = db.prepare(
      'UPDATE schedule SET tag = ?, due_at = ?, record = ? WHERE name = ? AND tag = ?',
    );
    this.#remove = db.prepare('DELETE FROM schedule WHERE name = ? AND tag = ?');
    this.#one = db.prepare('SELECT record FROM schedule WHERE name = ?');
    this.#due = db.prepare('SELECT record FROM schedule WHERE due_at <= ? ORDER BY due_at LIMIT ?');
    this.#names = db.prepare('SELECT record FROM schedule WHERE name > ? ORDER BY name LIMIT ?');
  }

  /**
   * Stores a schedule in the place of the one with this tag, where null means that there is none;
   * `cells` null removes it. Tells how many it was of: 0 or 1.
   */
  change(name: string, tag: string | null, cells: ScheduleCells | null): number {
    if (cells === null) return this.#remove.run([name, tag]);
    if (tag === null) return this.#insert.run([name, ...cells]);
    return this.#update.run([...cells, name, tag]);
  }

  /** The records that are asked for. */
  answer(asked: SchedulesAsked): readonly Row[] {
    if (asked[0] === 'one') return this.#one.rows([asked[1]]);
    const many = asked[0] === 'due' ? this.#due : this.#names;
    return many.rows([asked[1], asked[2]]);
  }
}
