import { assertNever } from '#core';
import type { KeyChange, StoredKey } from '../protocol.js';
import type { Database, Row, Statement } from './database.js';

/** The statements of API keys and other secrets. */
export class KeyStatements {
  readonly #insert: Statement;
  readonly #remove: Statement;
  readonly #note: Statement;
  readonly #one: Statement;
  readonly #all: Statement;
  readonly #keep: Statement;
  readonly #secret: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO access_key VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
    );
    this.#remove = db.prepare('DELETE FROM access_key WHERE id = ?');
    this.#note = db.prepare(
      'UPDATE access_key SET used_at = ?2 WHERE id = ?1 AND (used_at IS NULL OR used_at < ?2)',
    );
    this.#one = db.prepare('SELECT id, record, used_at FROM access_key WHERE id = ?');
    this.#all = db.prepare('SELECT id, record, used_at FROM access_key ORDER BY created_at, id');
    this.#keep = db.prepare('INSERT INTO secret VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
    this.#secret = db.prepare('SELECT text FROM secret WHERE name = ?');
  }

  /** Carries out a change; how many keys it was of. */
  change(change: KeyChange): number {
    switch (change[0]) {
      case 'add': {
        const [, id, createdAt, record] = change;
        return this.#insert.run([id, createdAt, record, null]);
      }
      case 'remove':
        return this.#remove.run([change[1]]);
      case 'used':
        return this.#note.run([change[1], change[2]]);
      default:
        return assertNever(change);
    }
  }

  /** Keeps a secret unless there is one of its name; the one that is kept. */
  keepSecret(name: string, fresh: string): string {
    this.#keep.run([name, fresh]);
    return String(this.#secret.row([name])?.[0] ?? fresh);
  }

  /** The key of this id. */
  get(id: string): StoredKey | null {
    const row = this.#one.row([id]);
    return row === undefined ? null : stored(row);
  }

  /** All keys, the oldest first. */
  list(): readonly StoredKey[] {
    return this.#all.rows([]).map(stored);
  }
}

function stored([id, record, usedAt = null]: Row): StoredKey {
  return [String(id), record, usedAt];
}
