import path from 'node:path';
import type { TaskStatus } from '#core';
import { type Observer, StoreUnavailable } from '#ports';
import { LOST_STATUS } from './lost-status.js';
import { SqliteStore } from './sqlite-store.js';
import type { CacheLimits } from './task-cache.js';
import { openWorker } from './worker-link.js';
import { defaultWorkerUrl } from './worker-url.js';

/** How a SQLite store is opened. */
export interface SqliteStoreOptions {
  /** The database file; it and its folder are made where they are missing. */
  readonly path: string;
  /** Gets notices of documents that cannot be read. */
  readonly observer?: Pick<Observer, 'noticed'>;
  /** Limits of the cache of the tasks used last. */
  readonly cache?: CacheLimits;
  /**
   * Pages of the write-ahead log after which they are moved into the database file. Default: 4,000.
   */
  readonly checkpointPages?: number;
  /** The compiled worker; by default the one of this library. */
  readonly workerUrl?: URL;
}

const CACHE: CacheLimits = { tasks: 10_000, characters: 12_000_000 };
const CHECKPOINT_PAGES = 4_000;

/**
 * Opens the store in a file, which belongs to this process alone until the store is closed or the
 * process ends. Throws `StoreBusy` where another process has it open, `StoreForeign` where it is
 * not a store of this version, and `StoreDamaged` where it must be restored first.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { workerUrl = defaultWorkerUrl(), checkpointPages = CHECKPOINT_PAGES } = options;
  const file = path.resolve(options.path);
  const { cache = CACHE, observer = { noticed: () => undefined } } = options;
  const link = await openWorker(workerUrl, { path: file, checkpointPages }, observer);
  const store = new SqliteStore(link, { cache, observer });
  // A store that does not answer says so to its next caller.
  await meetLost(store).catch(unlessUnavailable);
  return store;
}

/** Nothing else would meet and count them before they are listed. */
async function meetLost(store: SqliteStore): Promise<void> {
  const lost = store.walk({ statuses: [LOST_STATUS as TaskStatus] });
  while ((await lost.next()).done !== true);
}

function unlessUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
