import { LOST_STATUS } from '../lost-status.js';
import type { FailedOpening } from '../protocol.js';
import { Database, IN_MEMORY, sqliteCode } from './database.js';
import { ForeignFile } from './foreign-file.js';
import { expectOwnLog, hasLog, markLog } from './log-mark.js';
import { expectReadable, migrate } from './migrations.js';
import { takeBack } from './own-file.js';
import { DamagedFile, expectSound, isDamage, RESTORE } from './soundness.js';

/** Without what SQLite makes by itself: indexes of keys, and statistics. */
const PARTS = `
  SELECT type, name, coalesce(sql, '') FROM sqlite_master
  WHERE NOT (type = 'index' AND sql IS NULL)
    AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY type, name`;

/** Parts that are named, at most. */
const SHOWN_MAX = 5;

interface Part {
  readonly type: string;
  readonly sql: string;
  /** As people read it: `trigger grants_admin`. */
  readonly title: string;
}

/** A text of the plan, where there is one. */
const FLOW = `CASE WHEN json_valid(plan) THEN json_extract(plan, '$[3]') END`;

const CREATED_AT = `CASE WHEN json_valid(plan) THEN json_extract(plan, '$[5]') END`;

const STAND_INS =
  'INSERT INTO progress (id, revision, status, flow, created_at, state, journal) ' +
  `SELECT id, 0, ${LOST_STATUS}, coalesce(${FLOW}, ''), coalesce(${CREATED_AT}, 0), '', '' ` +
  'FROM task t WHERE NOT EXISTS (SELECT 1 FROM progress p WHERE p.id = t.id)';

/**
 * Opens a file for this process alone, recovers what a killed process left, and brings it to the
 * present form. The lock is SQLite's own and ends with the process, however it ends.
 */
export function openFile(file: string): Database {
  takeBack(file);
  const isLogged = hasLog(file);
  const db = Database.at(file);
  try {
    // Tasks under way lie side by side and are written together: half as many pages with twice the
    // room cost less. A file keeps the size that it was made with.
    db.execute('PRAGMA page_size = 8192');
    // Before the first access: then the log's index is in memory, and the lock is held from here
    // on.
    db.value('PRAGMA locking_mode = EXCLUSIVE');
    db.value('PRAGMA journal_mode = WAL');
    db.execute('PRAGMA synchronous = FULL');
    db.execute('PRAGMA cache_size = -32000');
    db.execute('PRAGMA temp_store = MEMORY');
    // The worker checkpoints by itself: an error while SQLite did it would go unnoticed.
    db.value('PRAGMA wal_autocheckpoint = 0');
    db.execute('BEGIN IMMEDIATE');
    db.execute('COMMIT');
    if (isLogged) expectOwnLog(db, file);
    expectNoPrograms(db);
    expectReadable(db);
    migrate(db);
    expectOwnParts(db);
    expectSound(db, file);
    markLog(db, file);
    standInForLost(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The file may have been handed over, with more in it than a store. */
function expectOwnParts(db: Database): void {
  const fresh = new Database(IN_MEMORY);
  try {
    migrate(fresh);
    expectNoOthers(db, fresh);
  } finally {
    fresh.close();
  }
}

const IN_USE =
  'another process, or another store of this one, has it open. Stop that one or use another file; ' +
  'processes that work together share a MongoDB, not a file.';

/**
 * The meaning of an error of {@link openFile}, and the end of a sentence that began with the file's
 * name.
 */
export function explainOpening(error: unknown): readonly [FailedOpening['kind'], string] {
  const code = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code.startsWith('SQLITE_BUSY')) {
    return ['busy', `is in use: ${IN_USE}`];
  }
  if (code === 'SQLITE_NOTADB') return ['foreign', 'is not a SQLite database.'];
  if (error instanceof Error && error.name === 'ForeignFile') return ['foreign', `${message}.`];
  if (error instanceof DamagedFile) return ['damaged', `${message}. ${RESTORE}`];
  if (isDamage(error)) return ['damaged', `is damaged: ${message}. ${RESTORE}`];
  return ['failed', `cannot be opened: ${message}.`];
}

/**
 * Throws {@link ForeignFile} where a file has triggers, views or virtual tables: a store has none,
 * and they would act with each statement of this process. To be called before the first write.
 */
function expectNoPrograms(db: Database): void {
  const found = partsOf(db).filter(({ sql, type }) => {
    return (type !== 'table' && type !== 'index') || /^\s*CREATE\s+VIRTUAL\b/i.test(sql);
  });
  refuse(found.map(({ title }) => title));
}

/** Throws {@link ForeignFile} where a file has tables or indexes that a store does not have. */
function expectNoOthers(db: Database, fresh: Database): void {
  const known = new Set(partsOf(fresh).map(({ title }) => title));
  const titles = partsOf(db).map(({ title }) => title);
  refuse(titles.filter((title) => !known.has(title)));
}

function partsOf(db: Database): readonly Part[] {
  return db
    .prepare(PARTS)
    .rows([])
    .map(([type, name, sql]) => ({
      type: String(type),
      sql: String(sql),
      title: `${type} ${name}`,
    }));
}

function refuse(titles: readonly string[]): void {
  if (titles.length === 0) return;
  const shown = titles.slice(0, SHOWN_MAX).map((title) => JSON.stringify(title));
  const more = titles.length - shown.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  throw new ForeignFile(`holds what no store has: ${shown.join(', ')}${rest}. Drop it by hand`);
}

/**
 * Gives each task whose progress is gone one that nobody can read. Lists and loops go by progress:
 * without any, a task is in none of them, and its key is taken for ever by a task that is not
 * there. The rows are counted first, which indexes alone tell, because there are never any lost in
 * a file that nobody has laid hands on.
 */
function standInForLost(db: Database): void {
  const tasks = Number(db.value('SELECT count(*) FROM task'));
  if (tasks > Number(db.value('SELECT count(*) FROM progress'))) db.execute(STAND_INS);
}
