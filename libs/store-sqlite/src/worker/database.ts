import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Libsql from 'libsql';
import type { Cell } from '../protocol.js';

/** In the place of a file: what is in memory alone, and ends with its `Database`. */
export const IN_MEMORY = ':memory:';

/**
 * The only code that touches the driver. Two habits of it are kept away from everybody else: a
 * boolean or a lone object as a parameter ends the process, and errors are told apart by the text
 * of their code.
 */
export class Database {
  readonly #db: Libsql.Database;

  constructor(file: string, options: Libsql.Options = {}) {
    this.#db = new Libsql(file, options);
  }

  /** Opens a file; it and its folder are made where they are missing. */
  static at(file: string): Database {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    createPrivate(file);
    return new Database(file);
  }

  /** The file as it is on the disk, without its log; to be read at once, as it takes no lock. */
  static withoutLog(file: string): Database {
    return new Database(`${pathToFileURL(file).href}?immutable=1`, { readonly: true });
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** Runs statements that have no parameters and give no rows. */
  execute(sql: string): void {
    this.#db.exec(sql);
  }

  /** Prepares a statement. */
  prepare(sql: string): Statement {
    return new Statement(this.#db.prepare(sql) as unknown as DriverStatement);
  }

  /** The first value of the first row; for settings that answer. */
  value(sql: string): unknown {
    return this.prepare(sql).row([])?.[0];
  }

  /** Lets go of the file. */
  close(): void {
    this.#db.close();
  }
}

/** A value that a statement takes; anything else is a mistake of the caller's. */
export type Parameter = Cell | boolean | undefined;

/** A row's columns in the order of the statement. */
export type Row = readonly Cell[];

/** A prepared statement. */
export class Statement {
  readonly #statement: DriverStatement;

  constructor(statement: DriverStatement) {
    this.#statement = statement;
    if (statement.columns().length > 0) statement.raw(true);
  }

  /** Runs it and tells how many rows it changed. */
  run(parameters: readonly Parameter[]): number {
    return this.#statement.run(cells(parameters)).changes;
  }

  /** Runs an insert and tells the new row's number, or 0 where a conflict left it out. */
  insert(parameters: readonly Parameter[]): number {
    const { changes, lastInsertRowid } = this.#statement.run(cells(parameters));
    return changes === 0 ? 0 : lastInsertRowid;
  }

  /** The first row. */
  row(parameters: readonly Parameter[]): Row | undefined {
    return this.#statement.get(cells(parameters)) ?? undefined;
  }

  /** All rows. */
  rows(parameters: readonly Parameter[]): readonly Row[] {
    return this.#statement.all(cells(parameters));
  }
}

/** The code of a driver's error, such as `SQLITE_FULL`; empty for any other error. */
export function sqliteCode(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

/**
 * The driver's statement, as far as it is used: with its parameters in one array, which is the only
 * safe way to give them, and with its rows as arrays.
 */
interface DriverStatement {
  columns(): readonly unknown[];
  raw(isRaw: boolean): unknown;
  run(parameters: readonly Cell[]): { readonly changes: number; readonly lastInsertRowid: number };
  get(parameters: readonly Cell[]): Row | null | undefined;
  all(parameters: readonly Cell[]): readonly Row[];
}

function cells(parameters: readonly Parameter[]): readonly Cell[] {
  for (let n = 0; n < parameters.length; n += 1) {
    const type = typeof parameters[n];
    const fits = type === 'string' || type === 'number' || parameters[n] === null;
    if (!fits) return parameters.map(cell);
  }
  return parameters as readonly Cell[];
}

function cell(parameter: Parameter): Cell {
  if (parameter === undefined) return null;
  if (typeof parameter === 'boolean') return parameter ? 1 : 0;
  if (parameter === null || typeof parameter === 'string' || typeof parameter === 'number') {
    return parameter;
  }
  throw new TypeError(`A ${typeof parameter} cannot be a column's value.`);
}

/**
 * Parameters of tasks may be confidential: nobody else reads a new file. An existing one is not
 * opened here, because closing it again would release the locks that this process may have on it.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
