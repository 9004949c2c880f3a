/** Copies finished tasks within a store's file: a process of its own, whose end frees the file. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import Libsql from 'libsql';
import { FINISHED_SQL } from '../fill/finished-id.js';
import { serve } from '../serve.js';

/** Statements of the fill; `task` and `progress` are the store's own tables. */
const COPY_TASKS = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
  INSERT INTO task (id, task_id, idempotency_key, steps_key, plan)
  SELECT :base + i, ${FINISHED_SQL.id}, NULL, steps_key,
    replace(replace(plan, task_id, ${FINISHED_SQL.id}), :at, ${FINISHED_SQL.at})
  FROM n, task WHERE task.id = :template`;
const COPY_PROGRESS = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
  INSERT INTO progress (id, revision, status, wake_at, flow, created_at, state, journal)
  SELECT :base + i, revision, status, wake_at, flow, ${FINISHED_SQL.at}, state, journal
  FROM n, progress WHERE progress.id = :template`;

/** A task that really ran, in the file that is filled with its copies. */
interface Template {
  readonly id: number;
  readonly at: number;
  /** Says of what form the rows are. */
  readonly form: string;
}

const FILE = process.env['FILL_FILE'] ?? '';
const db = new Libsql(FILE);

serve({ form: () => templateOf().form, fill, trim, stop: () => db.close() });

function templateOf(): Template {
  // All rows, though there is one: a statement that is not at its end keeps the file locked.
  const [row] = db
    .prepare('SELECT id, created_at, state, journal, plan FROM progress JOIN task USING (id)')
    .all() as { id: number; created_at: number; state: string; journal: string; plan: string }[];
  if (row === undefined) throw new Error('there is no task to copy');
  const schema = db.prepare('SELECT sql FROM sqlite_master ORDER BY name').all();
  const pages = db.prepare('PRAGMA page_size').all();
  const texts = [row.state, row.journal, row.plan].join(' ');
  const form = texts.replaceAll(/[0-9a-f]+(-[0-9a-f]+)+/g, 'id').replaceAll(/\d+/g, '0');
  const hash = createHash('sha256').update(JSON.stringify([schema, pages]) + form);
  return { id: row.id, at: row.created_at, form: hash.digest('hex').slice(0, 12) };
}

function fill(count: number): void {
  const { at, id } = templateOf();
  db.exec('PRAGMA journal_mode = DELETE');
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -256000');
  const values: Record<string, string> = {
    at: `'${at}'`,
    base: String(id),
    count: String(count),
    template: String(id),
  };
  db.exec('BEGIN');
  for (const sql of [COPY_TASKS, COPY_PROGRESS]) {
    db.exec(sql.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? ''));
  }
  db.exec('COMMIT');
  db.exec('PRAGMA journal_mode = WAL');
  // Else the disk is busy with the copies while the first tasks are measured.
  const descriptor = openSync(FILE, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function trim(count: number): void {
  const last = `(SELECT min(id) FROM progress) + ${count}`;
  db.exec(`BEGIN; DELETE FROM task WHERE id > ${last};`);
  db.exec(`DELETE FROM progress WHERE id > ${last}; COMMIT`);
}
