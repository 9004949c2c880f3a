import { mkdirSync } from 'node:fs';
import path from 'node:path';
import Libsql from 'libsql';

type Cell = string | number | null;
interface Statement {
  run(parameters: readonly Cell[]): { readonly changes: number; readonly lastInsertRowid: number };
  get(parameters: readonly Cell[]): readonly Cell[] | undefined;
  all(parameters: readonly Cell[]): readonly (readonly Cell[])[];
}
interface Pending {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
}

const PRAGMAS = `
  PRAGMA page_size = 8192;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -32000;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 4000;
`;
const TABLES = `
  CREATE TABLE task (id INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, document TEXT NOT NULL);
  CREATE TABLE progress (id INTEGER PRIMARY KEY, revision INTEGER NOT NULL,
    status INTEGER NOT NULL, state TEXT NOT NULL);
`;

/**
 * The least that keeps tasks durably: one thread, a row that is written once and a narrow one that
 * every step updates on condition, and one sync for all writes of a turn of the event loop.
 */
export class SqliteFloor {
  readonly #db: Libsql.Database;
  readonly #statements: Readonly<
    Record<'task' | 'progress' | 'update' | 'get' | 'list', Statement>
  >;
  #pending: Pending[] = [];

  constructor(file: string) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.#db = new Libsql(file);
    this.#db.exec(PRAGMAS);
    this.#db.exec(TABLES);
    const prepare = (sql: string): Statement => this.#db.prepare(sql) as unknown as Statement;
    const read = (sql: string): Statement => {
      const statement = this.#db.prepare(sql);
      statement.raw(true);
      return statement as unknown as Statement;
    };
    const join = 'SELECT document, revision, status, state FROM task JOIN progress USING (id)';
    this.#statements = {
      task: prepare('INSERT INTO task (task_id, document) VALUES (?, ?)'),
      progress: prepare('INSERT INTO progress VALUES (?, 1, 1, ?)'),
      update: prepare(
        'UPDATE progress SET revision = ?, status = ?, state = ? WHERE id = ? AND revision = ?',
      ),
      get: read(`${join} WHERE task_id = ?`),
      list: read(`${join} ORDER BY id DESC LIMIT ?`),
    };
  }

  /** Stores a new task; resolves with its row once it is durable. */
  insert(taskId: string, document: string, state: string): Promise<number> {
    return this.#write(() => {
      const { lastInsertRowid } = this.#statements.task.run([taskId, document]);
      this.#statements.progress.run([lastInsertRowid, state]);
      return lastInsertRowid;
    });
  }

  /** Stores the next revision; resolves once it is durable. */
  update(row: number, revision: number, state: string): Promise<void> {
    return this.#write(() => {
      const parameters = [revision, revision > 4 ? 0 : 2, state, row, revision - 1];
      const { changes } = this.#statements.update.run(parameters);
      if (changes !== 1) throw new Error(`row ${row} is not at revision ${revision - 1}`);
    });
  }

  /** A task as it is stored, as JSON. */
  get(taskId: string): string | undefined {
    const row = this.#statements.get.get([taskId]);
    return row === undefined || row === null ? undefined : toJson(row);
  }

  /** The newest tasks, as JSON. */
  list(limit: number): string {
    return `{"items":[${this.#statements.list.all([limit]).map(toJson).join(',')}]}`;
  }

  #write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve) => {
      this.#pending.push({ work, resolve });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const batch = this.#pending;
    this.#pending = [];
    this.#db.exec('BEGIN IMMEDIATE');
    const results = batch.map(({ work }) => work());
    this.#db.exec('COMMIT');
    batch.forEach(({ resolve }, n) => resolve(results[n] as never));
  }
}

function toJson([document, revision, status, state]: readonly Cell[]): string {
  return `{"plan":${document},"revision":${revision},"status":${status},"state":${state}}`;
}
