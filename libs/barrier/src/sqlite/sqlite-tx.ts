import type Database from 'libsql';

/** A value that can be bound; booleans become 0 and 1, `undefined` becomes NULL. */
export type SqliteValue = string | number | bigint | boolean | null | undefined | Uint8Array;

/** A row as the driver gives it. */
export type SqliteRow = Record<string, unknown>;

/** Statements on one connection, prepared once each. */
export class SqliteTx {
  readonly #statements = new Map<string, Database.Statement>();

  constructor(private readonly db: Database.Database) {}

  /** Runs a statement; returns how many rows it changed. */
  run(sql: string, ...values: SqliteValue[]): number {
    return this.#prepare(sql).run(...values.map(bindable)).changes;
  }

  /** The first row, or undefined. */
  // The caller says what its query selects.
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  get<Row = SqliteRow>(sql: string, ...values: SqliteValue[]): Row | undefined {
    const row = this.#prepare(sql).get(...values.map(bindable)) as SqliteRow | undefined;
    if (row !== undefined) delete row['_metadata'];
    return row as Row | undefined;
  }

  /** All rows. */
  all<Row = SqliteRow>(sql: string, ...values: SqliteValue[]): Row[] {
    return this.#prepare(sql).all(...values.map(bindable)) as Row[];
  }

  /** Forgets every statement. */
  close(): void {
    this.#statements.clear();
  }

  #prepare(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

// The driver ends the process on a boolean, and does not know undefined.
function bindable(value: SqliteValue): Exclude<SqliteValue, boolean | undefined> {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value ?? null;
}
