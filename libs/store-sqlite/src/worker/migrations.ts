import { TASK_STATUS } from '#core/task';
import { STATE_FORMAT } from '../state-head.js';
import { ForeignFile } from './foreign-file.js';
import type { Database } from './database.js';

/** Marks the file as a store of Backstep ("BkSt"). */
const APPLICATION_ID = 0x426b5374;

/**
 * Every step from an empty file to the present form, in order. A step that was released is never
 * changed: a new one is added. The file's `user_version` counts the steps it has had.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- Step plans, once for all tasks of a flow version; the key is a hash of the text.
  CREATE TABLE steps (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

  -- What a task was created with: written once.
  CREATE TABLE task (
    id INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT,
    steps_key TEXT NOT NULL,
    plan TEXT NOT NULL
  );
  CREATE UNIQUE INDEX task_by_idempotency_key ON task (idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  -- What changes, and what tasks are looked for by: narrow, because every commit writes it.
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    status INTEGER NOT NULL,
    wake_at INTEGER,
    wake_slot INTEGER,
    flow TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    journal TEXT NOT NULL
  );
  -- Live tasks only: finished ones cost governance nothing.
  CREATE INDEX progress_by_wake_slot ON progress (wake_slot) WHERE wake_slot IS NOT NULL;
  CREATE INDEX progress_by_status ON progress (status, created_at);
  CREATE INDEX progress_by_flow ON progress (flow, status, created_at);

  -- Outputs that are too large to be written with every commit.
  CREATE TABLE output (
    task INTEGER NOT NULL,
    step INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (task, step)
  );

  CREATE TABLE label (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (key, value, created_at, task)
  ) WITHOUT ROWID;

  CREATE TABLE flow (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash TEXT NOT NULL,
    definition TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (name, version)
  );

  -- One row, written to find out whether the file can be written again: as large as a task may be.
  CREATE TABLE probe (id INTEGER PRIMARY KEY, filling BLOB NOT NULL);
  INSERT INTO probe VALUES (1, x'');
  `,
  `
  -- What lists show of a plan stands before the plan, so that they read no parameters. It is null
  -- where the plan could not be read.
  CREATE TABLE task_with_head (
    id INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT,
    steps_key TEXT NOT NULL,
    head TEXT,
    plan TEXT NOT NULL
  );
  INSERT INTO task_with_head SELECT id, task_id, idempotency_key, steps_key,
    CASE WHEN json_valid(plan) THEN json_extract(plan, '$[3]', '$[7]', '$[6]') END, plan FROM task;
  DROP TABLE task;
  ALTER TABLE task_with_head RENAME TO task;
  CREATE UNIQUE INDEX task_by_idempotency_key ON task (idempotency_key)
    WHERE idempotency_key IS NOT NULL;
  `,
  `
  -- Texts of a task that a commit writes only when it changes them: large outputs, runs of the
  -- steps of a long task, journal entries but for the newest. The id is the task's times 4,194,304,
  -- and the place of the text: 0 and more for the output of a step by position, 1,048,576 and more
  -- for runs, 2,097,152 and more for journal entries.
  CREATE TABLE beside (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  INSERT INTO beside SELECT task * 4194304 + step, text FROM output;
  DROP TABLE output;
  `,
  `
  -- The audit log: only ever added to.
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL);
  `,
  `
  -- Where a version is from; of the newest of a name it tells whether tasks of it can be made.
  ALTER TABLE flow ADD COLUMN standing TEXT NOT NULL DEFAULT 'file';
  `,
  `
  -- Child tasks: whose they are, of which run of its steps, and which of these.
  ALTER TABLE progress ADD COLUMN parent TEXT;
  ALTER TABLE progress ADD COLUMN run TEXT;
  ALTER TABLE progress ADD COLUMN child INTEGER;
  CREATE INDEX progress_by_parent ON progress (parent, run, status, child)
    WHERE parent IS NOT NULL;
  `,
  `
  -- The lines of locks, in the order of their ids, of which none is given twice.
  CREATE TABLE lock_line (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    task_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    slots INTEGER NOT NULL,
    since INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX lock_line_by_ticket ON lock_line (name, task_id, number);
  CREATE INDEX lock_line_by_name ON lock_line (name, id);
  `,
  `
  -- The latest notable change of a task, by its number among all of the file. A commit that is none
  -- leaves the index alone. The largest number ever given stays when its task is removed.
  ALTER TABLE progress ADD COLUMN change INTEGER;
  CREATE INDEX progress_by_change ON progress (change) WHERE change IS NOT NULL;
  CREATE TABLE change_floor (id INTEGER PRIMARY KEY, change INTEGER NOT NULL);
  INSERT INTO change_floor VALUES (1, 0);
  `,
  `
  -- What a task waits for a person to do, as JSON; the index has those tasks alone.
  ALTER TABLE progress ADD COLUMN waits TEXT;
  UPDATE progress SET waits = '[]' WHERE status IN (${TASK_STATUS.rollback_failed}, ${TASK_STATUS.on_hold});
  CREATE INDEX progress_by_waits ON progress (created_at) WHERE waits IS NOT NULL;
  `,
  `
  -- One row: each log has a mark of its own, and names that of the log before it, which the file
  -- has. So a log is known as that of another file, or of another time.
  CREATE TABLE log_mark (id INTEGER PRIMARY KEY, mark TEXT NOT NULL, before TEXT NOT NULL);
  INSERT INTO log_mark VALUES (1, hex(randomblob(8)), '');
  `,
  `
  -- Records of all kinds but tasks. The text is JSON; the tag tells its writes apart. Beside it
  -- stands where it is in the lists of up to four indexes of its kind: among the records that are
  -- alike in what the index is of, by a number.
  CREATE TABLE record (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    tag TEXT NOT NULL,
    of_1 TEXT,
    at_1 INTEGER,
    of_2 TEXT,
    at_2 INTEGER,
    of_3 TEXT,
    at_3 INTEGER,
    of_4 TEXT,
    at_4 INTEGER,
    text TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  CREATE INDEX record_by_1 ON record (kind, of_1, at_1, id) WHERE at_1 IS NOT NULL;
  CREATE INDEX record_by_2 ON record (kind, of_2, at_2, id) WHERE at_2 IS NOT NULL;
  CREATE INDEX record_by_3 ON record (kind, of_3, at_3, id) WHERE at_3 IS NOT NULL;
  CREATE INDEX record_by_4 ON record (kind, of_4, at_4, id) WHERE at_4 IS NOT NULL;
  `,
  `
  -- The event without which a task does not go on, as lists show it; null: it goes on.
  ALTER TABLE progress ADD COLUMN awaits TEXT;
  `,
  `
  -- Terms by which an unfinished task is found, and the sessions that hold actions of it: lines.
  ALTER TABLE progress ADD COLUMN terms TEXT;
  `,
  `
  -- The request that a task was made for: columns cost a new task less than rows of labels.
  ${['request_id requestId', 'client client', 'operator operator'].map(fromLabels).join('')}
  `,
];

/** Moves labels of the store's own, which had a mark before their name, into a column. */
function fromLabels(names: string): string {
  const [column, key] = names.split(' ');
  return `
  ALTER TABLE progress ADD COLUMN ${column} TEXT;
  UPDATE progress SET ${column} = value FROM label WHERE key = char(1) || '${key}' AND task = id;
  DELETE FROM label WHERE key = char(1) || '${key}';
  CREATE INDEX progress_by_${column} ON progress (${column}, created_at) WHERE ${column} IS NOT NULL;`;
}

/**
 * Brings the file to the present form. Throws {@link ForeignFile} for one that is none of ours or
 * is newer.
 */
export function migrate(db: Database, migrations: readonly string[] = MIGRATIONS): void {
  for (let step = formOf(db, migrations); step < migrations.length; step += 1) {
    db.execute('BEGIN IMMEDIATE');
    db.execute(migrations[step]!);
    db.execute(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${step + 1}`);
    db.execute('COMMIT');
  }
}

/** How many of the steps the file has had. */
function formOf(db: Database, migrations: readonly string[]): number {
  const version = Number(db.value('PRAGMA user_version'));
  if (version === 0 && Number(db.value('SELECT count(*) FROM sqlite_master')) > 0) {
    throw new ForeignFile('holds something else than a store');
  }
  if (version > 0 && Number(db.value('PRAGMA application_id')) !== APPLICATION_ID) {
    throw new ForeignFile('belongs to another program');
  }
  if (version > migrations.length) {
    const forms = `it has form ${version}, this version knows ${migrations.length}`;
    throw new ForeignFile(`was written by a newer version: ${forms}`);
  }
  return version;
}

const OLDEST_STATE = 'SELECT state FROM progress WHERE id = (SELECT min(id) FROM progress)';

/**
 * Throws {@link ForeignFile} where `migrate` does, and for a file whose oldest task has a form that
 * only an older version reads: brought to the present form, that version could not open it either.
 */
export function expectReadable(db: Database): void {
  if (formOf(db, MIGRATIONS) === 0) return;
  const [, format] = /^\[\[(\d+),/.exec(String(db.value(OLDEST_STATE))) ?? [];
  // One that nobody can read says nothing, and one of a newer version is left to that.
  if (format === undefined || Number(format) >= STATE_FORMAT) return;
  const forms = `in format ${format}, and this version reads ${STATE_FORMAT}`;
  throw new ForeignFile(
    `has tasks of an older version, ${forms}. It was not changed: start that version again, or ` +
      'name another file',
  );
}
