export { IntentBarrier, type IntentLog } from './intent-barrier.js';
export { judgeForward, judgeRollback, type Mark, type MarkState } from './mark.js';
export { BarrierRefusal, StaleToken, Superseded } from './refusal.js';
export { SqliteBarrier } from './sqlite/sqlite-barrier.js';
export { SqliteBusy } from './sqlite/sqlite-busy.js';
export { openSqlite, SqliteFile, type SqliteOptions } from './sqlite/sqlite-file.js';
export { SqliteIntents } from './sqlite/sqlite-intents.js';
export { BARRIER_TABLE } from './sqlite/sqlite-marks.js';
export { SqliteTx, type SqliteRow, type SqliteValue } from './sqlite/sqlite-tx.js';
