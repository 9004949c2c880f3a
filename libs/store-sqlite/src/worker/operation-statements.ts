import { assertNever } from '#core';
import type { OperationCells, OperationsAsked, OperationsChange } from '../operation-cells.js';
import type { Database, Row, Statement } from './database.js';

/** The statements of operations. */
export class OperationStatements {
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #one: Statement;
  readonly #list: Statement;
  readonly #due: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO operation VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    );
    this.#update = db.prepare(
      'UPDATE operation SET revision = ?2, due_at = ?3, record = ?4 ' +
        'WHERE id = ?1 AND revision = ?2 - 1',
    );
    this.#one = db.prepare('SELECT id, record, due_at FROM operation WHERE id = ?');
    this.#list = db.prepare(
      'SELECT id, record, due_at FROM operation WHERE (created_at, id) < (?, ?) ' +
        'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
    );
    this.#due = db.prepare(
      'SELECT id, record, due_at FROM operation WHERE due_at IS NOT NULL AND due_at <= ? ' +
        'ORDER BY due_at, id LIMIT ? OFFSET ?',
    );
    // Few of those that began before then have not ended: the index by time bounds the work. One
    // that cannot be read stays, as nobody knows when it ended.
    this.#remove = db.prepare(
      'DELETE FROM operation WHERE id IN (SELECT id FROM operation WHERE created_at <= ?1 ' +
        "AND due_at IS NULL AND iif(json_valid(record), json_extract(record, '$.endedAt'), NULL) <= ?1 " +
        'ORDER BY created_at, id LIMIT ?2)',
    );
  }

  /** Writes one, or removes some; how many it was of. */
  change(change: OperationsChange): number {
    if (change[0] === 'remove') return this.#remove.run([change[1], change[2]]);
    return this.#write(change[1]);
  }

  /** Stores a new one, or the next revision of one. */
  #write([id, createdAt, revision, dueAt, record]: OperationCells): number {
    if (revision === 1) return this.#insert.run([id, createdAt, revision, dueAt, record]);
    return this.#update.run([id, revision, dueAt, record]);
  }

  /** Ids, texts and due times of those that are asked for. */
  read(asked: OperationsAsked): readonly Row[] {
    switch (asked[0]) {
      case 'one':
        return this.#one.rows([asked[1]]);
      case 'list':
        return this.#list.rows([asked[1], asked[2], asked[3], asked[4]]);
      case 'due':
        return this.#due.rows([asked[1], asked[2], asked[3]]);
      default:
        return assertNever(asked);
    }
  }
}
