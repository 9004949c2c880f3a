import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Clock, StoreUnavailable } from '#ports';
import { Database, sqliteCode } from '../worker/database.js';
import type { CopyOrder } from './copy-files.js';

/** The name of the store in a copy: a process that has the copy as its folder finds it. */
export const STORE_NAME = 'backstep.db';

/** Folders in which commands have their effects as files. */
const EFFECT_FOLDERS = ['instances'];

const BESIDE = /-(?:wal|shm|journal|aside)$/;

/** The driver waits this long for another process; it blocks the event loop meanwhile. */
const DRIVER_WAIT_MS = 20;
const RETRY_AFTER_MS = 20;
/** Longer than any commit of another process. */
const PATIENCE_MS = 10_000;

/** Where a process keeps what it keeps. */
export interface KeptPlaces {
  /** The file of the store. */
  readonly file: string;
  /** The folder with the files of executors. */
  readonly data: string;
}

/**
 * The databases beside the store, in which executors keep inventories, marks and effects. A lock
 * on them lets everybody read and nobody write.
 */
export class SideFiles {
  readonly #open = new Map<string, Database>();

  /** Opens all databases of the folder but the store. */
  constructor(private readonly places: KeptPlaces) {
    try {
      for (const file of databasesIn(places)) {
        const db = openDatabase(file);
        if (db !== null) this.#open.set(file, db);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Locks all files in one turn of the event loop, and calls `onLocked` in that turn. Throws
   * `StoreUnavailable` where another process keeps one locked.
   */
  async lock<T>(clock: Clock, onLocked: () => T): Promise<T> {
    const giveUpAt = clock.monotonic() + PATIENCE_MS;
    while (!this.#tryLock()) {
      if (clock.monotonic() > giveUpAt) {
        throw new StoreUnavailable('A file beside the store is locked by another process.');
      }
      await clock.sleep(RETRY_AFTER_MS);
    }
    return onLocked();
  }

  /** Everything beside the store, as it is to be copied into a folder. */
  orderInto(target: string): CopyOrder {
    const { data } = this.places;
    const places = [...this.#open.keys(), ...EFFECT_FOLDERS.map((name) => path.join(data, name))];
    const pairs = places.map((from) => [from, path.join(target, path.basename(from))] as const);
    const files = pairs.slice(0, this.#open.size);
    return { files: files.flatMap(withLog), folders: pairs.slice(this.#open.size) };
  }

  /** Lets everybody write again. */
  close(): void {
    for (const db of this.#open.values()) {
      if (db.inTransaction) db.execute('ROLLBACK');
      db.close();
    }
  }

  #tryLock(): boolean {
    try {
      for (const db of this.#open.values()) db.execute('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      for (const db of this.#open.values()) if (db.inTransaction) db.execute('ROLLBACK');
      if (sqliteCode(error).startsWith('SQLITE_BUSY')) return false;
      throw new StoreUnavailable('A file beside the store cannot be locked.', { cause: error });
    }
  }
}

/** Whether SQLite keeps a file beside a database, or a process has put it aside. */
export function isBeside(file: string): boolean {
  return BESIDE.test(file);
}

/** A database with the log beside it. */
export function withLog([from, to]: readonly [string, string]): CopyOrder['files'] {
  return [
    [from, to],
    [`${from}-wal`, `${to}-wal`],
  ];
}

function databasesIn({ data, file }: KeptPlaces): readonly string[] {
  const store = lstatSync(file, { throwIfNoEntry: false });
  return readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== STORE_NAME && !isBeside(entry.name))
    .map(({ name }) => path.join(data, name))
    .filter((found) => {
      const { dev, ino, size } = lstatSync(found);
      return size > 0 && (ino !== store?.ino || dev !== store.dev);
    });
}

/** Null where the file is no database. */
function openDatabase(file: string): Database | null {
  const db = new Database(file, { timeout: DRIVER_WAIT_MS });
  try {
    db.value('SELECT count(*) FROM sqlite_schema');
    return db;
  } catch (error) {
    db.close();
    if (sqliteCode(error) === 'SQLITE_NOTADB') return null;
    throw new StoreUnavailable(`${path.basename(file)} cannot be read.`, { cause: error });
  }
}
