import type { DeliveriesAsked, DeliveryChange } from '../notification-cells.js';
import type { Database, Row, Statement } from './database.js';

/** The statements of messages of notifications. */
export class DeliveryStatements {
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #prune: Statement;
  readonly #one: Statement;
  readonly #due: Statement;
  readonly #open: Statement;
  readonly #rule: Statement;
  readonly #about: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = db.prepare(
      'UPDATE delivery SET revision = ?, due_at = ?, is_open = ?, record = ? ' +
        'WHERE id = ? AND revision = ?',
    );
    this.#prune = db.prepare(
      'DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE rule = ? ' +
        'ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)',
    );
    this.#one = db.prepare('SELECT id, record, due_at FROM delivery WHERE id = ?');
    this.#due = db.prepare(
      'SELECT id, record, due_at FROM delivery WHERE due_at <= ? ORDER BY due_at, id LIMIT ? OFFSET ?',
    );
    this.#open = db.prepare(
      'SELECT id, record, due_at FROM delivery WHERE is_open = 1 AND ' +
        'subject IN (SELECT value FROM json_each(?))',
    );
    this.#rule = db.prepare(
      'SELECT id, record, due_at FROM delivery WHERE rule = ? AND (created_at, id) < (?, ?) ' +
        'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
    );
    this.#about = db.prepare(
      'SELECT id, record, due_at FROM delivery WHERE subject = ? AND rule_id = ? ' +
        'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
    );
  }

  /** Tells how many messages it was of. */
  change(change: DeliveryChange): number {
    if (change[0] === 'prune') return this.#prune.run([change[1], change[2]]);
    if (change[0] === 'add') return this.#insert.run([...change[1]]);
    const [id, revision, , , , , dueAt, isOpen, record] = change[1];
    return this.#update.run([revision, dueAt, isOpen, record, id, revision - 1]);
  }

  /** The rows of the messages that are asked for. */
  answer(asked: DeliveriesAsked): readonly Row[] {
    const [kind, ...parameters] = asked;
    if (kind === 'one') return this.#one.rows(parameters);
    if (kind === 'due') return this.#due.rows(parameters);
    if (kind === 'open') return this.#open.rows(parameters);
    return (kind === 'rule' ? this.#rule : this.#about).rows(parameters);
  }
}
