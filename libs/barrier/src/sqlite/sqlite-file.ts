import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { type Clock, StoreUnavailable } from '#ports';
import { SqliteTx } from './sqlite-tx.js';

/** Codes about the file and its disk, not about a statement. */
const OF_FILE = /^SQLITE_(CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|PROTOCOL|READONLY)/;

/** How a participant's own file is opened. */
export interface SqliteOptions {
  readonly clock: Clock;
  readonly file: string;
  /** SQL scripts, each run once per file, in this order; published ones never change. */
  readonly migrations: readonly string[];
}

/** The driver waits this long for another process's commit; it blocks the event loop meanwhile. */
const DRIVER_WAIT_MS = 20;
const RETRY_AFTER_MS = 20;
/** Long enough for any commit, shorter than people wait: then the other process holds the file. */
const PATIENCE_MS = 10_000;
const BATCH_MAX = 256;

interface Job {
  readonly run: (tx: SqliteTx) => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a participant's file, creating it where there is none. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteFile> {
  const { clock, file, migrations } = options;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  createPrivate(file);
  const db = new Database(file, { timeout: DRIVER_WAIT_MS });
  const giveUpAt = clock.monotonic() + PATIENCE_MS;
  for (;;) {
    try {
      prepare(db, migrations);
      return new SqliteFile(db, options);
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() > giveUpAt) {
        db.close();
        throw new Error(`cannot open ${file}`, { cause: error });
      }
    }
    await clock.sleep(RETRY_AFTER_MS);
  }
}

/**
 * Creates the file for this user alone: SQLite gives the files beside this one its mode. An
 * existing file is not opened here: closing it would release the locks this process may have on it.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function prepare(db: Database.Database, migrations: readonly string[]): void {
  db.exec('PRAGMA journal_mode = WAL');
  // FULL, not NORMAL: an effect that was reported must survive a power cut.
  db.exec('PRAGMA synchronous = FULL');
  migrate(db, migrations);
}

/**
 * A participant's own SQLite file, shared by several processes of one machine.
 *
 * Writes of one turn of the event loop share a transaction and its fsync; each has a savepoint, so
 * that one that throws leaves nothing and harms no other. Where the transaction as a whole had no
 * effect, each is run again by itself. Jobs are synchronous: nothing ever sees half a transaction,
 * and no transaction is held open across a wait.
 */
export class SqliteFile {
  readonly #tx: SqliteTx;
  #queue: Job[] = [];
  #scheduled = false;
  #busySince: number | null = null;
  #onIdle: (() => void)[] = [];
  #closed = false;

  constructor(
    private readonly db: Database.Database,
    private readonly options: SqliteOptions,
  ) {
    this.#tx = new SqliteTx(db);
  }

  /**
   * Runs a job in a transaction; resolves when it is durable, rejects when it had no effect: with
   * `StoreUnavailable` where the file cannot be written now.
   */
  write<T>(run: (tx: SqliteTx) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error(`${this.options.file} is closed`));
      this.#queue.push({ run, resolve, reject });
      this.#schedule();
    });
  }

  /** Reads what is committed. Throws `StoreUnavailable` where the file cannot be read now. */
  read<T>(query: (tx: SqliteTx) => T): T {
    try {
      return query(this.#tx);
    } catch (error) {
      throw asFileError(error, this.options.file);
    }
  }

  /** Finishes what was accepted and lets go of the file. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#queue.length > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    this.#tx.close();
    try {
      // A copy of the file is whole then. The driver closes it once all statements are gone.
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process works with it: the log stays beside the file.
    }
    this.db.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#queue.splice(0, BATCH_MAX);
    if (batch.length > 0 && this.#begin(batch)) this.#commit(batch);
    if (this.#queue.length > 0 && this.#busySince === null) this.#schedule();
    if (this.#queue.length === 0) for (const idle of this.#onIdle.splice(0)) idle();
  }

  #begin(batch: readonly Job[]): boolean {
    try {
      this.#tx.run('BEGIN IMMEDIATE');
      this.#busySince = null;
      return true;
    } catch (error) {
      if (isBusy(error)) this.#waitForOthers(batch, error);
      else this.#reject(batch, error);
      return false;
    }
  }

  #waitForOthers(batch: readonly Job[], error: unknown): void {
    const { clock } = this.options;
    this.#busySince ??= clock.monotonic();
    if (clock.monotonic() - this.#busySince > PATIENCE_MS) {
      this.#busySince = null;
      this.#reject(batch, error);
      return;
    }
    this.#queue = [...batch, ...this.#queue];
    this.#scheduled = true;
    clock.after(RETRY_AFTER_MS, () => this.#flush());
  }

  #commit(batch: readonly Job[]): void {
    try {
      const settle = batch.map((job) => this.#runJob(job));
      this.#tx.run('COMMIT');
      for (const tell of settle) tell();
    } catch (error) {
      if (this.db.inTransaction) this.#tx.run('ROLLBACK');
      if (batch.length === 1) this.#reject(batch, error);
      else this.#commitEach(batch);
    }
  }

  /** One after another, so that the one that does not fit harms no other. */
  #commitEach(batch: readonly Job[]): void {
    for (const job of batch) {
      if (this.#begin([job])) this.#commit([job]);
    }
  }

  #reject(jobs: readonly Job[], error: unknown): void {
    const told = asFileError(error, this.options.file);
    for (const job of jobs) job.reject(told);
  }

  #runJob(job: Job): () => void {
    const { resolve, run } = job;
    this.#tx.run('SAVEPOINT job');
    try {
      const value = run(this.#tx);
      refuseLater(value);
      this.#tx.run('RELEASE job');
      return () => resolve(value as never);
    } catch (error) {
      // Where the disk was full, SQLite may have undone the others as well.
      if (!this.db.inTransaction) throw error;
      this.#tx.run('ROLLBACK TO job');
      this.#tx.run('RELEASE job');
      return () => this.#reject([job], error);
    }
  }
}

function refuseLater(value: unknown): void {
  if (value instanceof Promise) {
    // Its own failure, if any, has been told by the error below.
    value.catch(() => undefined);
    throw new TypeError('work on an SQLite file is synchronous: it must not return a promise');
  }
}

/** Whether the driver says that another connection is writing. */
function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/**
 * An error of a file as its users see it: `StoreUnavailable` where the file, its disk or another
 * process is in the way, which says nothing against what was to be done. Anything else is as it is.
 */
export function asFileError(error: unknown, file: string): unknown {
  if (isBusy(error)) {
    return new StoreUnavailable(`${file} is held by another process`, { cause: error });
  }
  if (!OF_FILE.test(codeOf(error))) return error;
  const { message } = error as Error;
  return new StoreUnavailable(`${file} cannot be used now: ${message}`, { cause: error });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/**
 * Runs the scripts that this file has not seen. Several processes may open a new file at once: the
 * version is read inside the transaction that raises it.
 */
function migrate(db: Database.Database, migrations: readonly string[]): void {
  if (versionOf(db) === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(db);
    if (version > migrations.length) {
      throw new Error(`the file has version ${version}; this program knows ${migrations.length}`);
    }
    for (const script of migrations.slice(version)) db.exec(script);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(db: Database.Database): number {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}
