/** `backstep/barrier`, as a package. Held name by name in test/architecture/public-api.spec.ts. */
export { IntentBarrier, type IntentLog } from './intent-barrier.js';
export { MongoBarrier, type MongoBarrierOptions } from './mongo/mongo-barrier.js';
export type { Inverse } from './mongo/mongo-mark.js';
export { MongoTx, type PlacedEffect, UndoRefused } from './mongo/mongo-tx.js';
export { type MongoConnection, openMongo } from './mongo/open-mongo.js';
export { MysqlBarrier, type MysqlBarrierParts, MysqlSchemaBarrier } from './mysql/mysql-barrier.js';
export { MysqlMarks, type MysqlMarksOptions } from './mysql/mysql-marks.js';
export { MysqlSessions, type MysqlSessionsOptions } from './mysql/mysql-sessions.js';
export type { TaskMarks } from '#ports';
export { BarrierRefusal, StaleToken, Superseded } from './refusal.js';
export { SqliteBarrier, SqliteIntents } from './sqlite/sqlite-barrier.js';
export { openSqlite, SqliteFile, type SqliteOptions } from './sqlite/sqlite-file.js';
export { BARRIER_TABLE } from './sqlite/sqlite-marks.js';
export { SqliteTx, type SqliteRow, type SqliteValue } from './sqlite/sqlite-tx.js';
