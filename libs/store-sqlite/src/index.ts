export { copyStoppedStore } from './backup/copy-files.js';
export { type SettledCopy, settleCopy } from './backup/settle-copy.js';
export { SqliteBackup } from './backup/sqlite-backup.js';
export { StoreBusy, StoreForeign } from './errors.js';
export { examineSqliteFile, examineStoreFile } from './examine.js';
export { openSqliteStore, type SqliteStoreOptions } from './open.js';
export { SqliteStore } from './sqlite-store.js';
export type { CacheLimits } from './task-cache.js';
