import type { NotificationChange, NotificationsAsked } from '../notification-cells.js';
import type { Database, Row, Statement } from './database.js';
import { NamedStatement } from './named-statement.js';

/** The statements of rules of notifications. */
export class NotificationStatements {
  readonly #insert: Statement;
  readonly #update: NamedStatement;
  readonly #remove: NamedStatement;
  readonly #move: Statement;
  readonly #one: Statement;
  readonly #names: Statement;
  readonly #position: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO notification (name, tag, record) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = new NamedStatement(db, 'UPDATE notification SET tag = ?, record = ?');
    this.#remove = new NamedStatement(db, 'DELETE FROM notification');
    this.#move = db.prepare(
      'UPDATE notification_position SET position = max(position, ?) WHERE id = 1',
    );
    this.#one = db.prepare('SELECT name, tag, record FROM notification WHERE name = ?');
    this.#names = db.prepare(
      'SELECT name, tag, record FROM notification WHERE name > ? ORDER BY name LIMIT ? OFFSET ?',
    );
    this.#position = db.prepare('SELECT position FROM notification_position');
  }

  /** Tells how many rules it was of: 0 or 1. */
  change(change: NotificationChange): number {
    if (change[0] === 'move') return this.#move.run([change[1]]);
    if (change[0] === 'remove') return this.#remove.run([], change[1], change[2]);
    const [, name, previous, tag, record] = change;
    if (previous === null) return this.#insert.run([name, tag, record]);
    return this.#update.run([tag, record], name, previous);
  }

  /** The rows that are asked for. */
  answer(asked: NotificationsAsked): readonly Row[] {
    if (asked[0] === 'position') return this.#position.rows([]);
    if (asked[0] === 'one') return this.#one.rows([asked[1]]);
    return this.#names.rows([asked[1], asked[2], asked[3]]);
  }
}
