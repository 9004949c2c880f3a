export { StoreBusy, StoreForeign } from './errors.js';
export { openSqliteStore, SqliteStore, type SqliteStoreOptions } from './sqlite-store.js';
export type { CacheLimits } from './task-cache.js';
