/** Copies tasks within a store's file: a process of its own, whose end frees the file. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import Libsql from 'libsql';
import { type CopySql, copySqlOf, FINISHED_SQL } from '../fill/finished-id.js';
import { serve } from '../serve.js';

/** Tables that have one row for each task, by its number; others name it in a column `task`. */
const TABLES_OF_ONE = ['task', 'progress'];

/** A task that really ran, in the file that is filled with its copies. */
interface Template {
  readonly id: number;
  readonly at: number;
}

const FILE = process.env['FILL_FILE'] ?? '';
const db = new Libsql(FILE);

serve({
  form: () => templateOf().form,
  fillFinished: (count: number) => fill(count, FINISHED_SQL),
  fillWaiting: (count: number) => fill(count, copySqlOf(templateOf().at)),
  trim,
  stop: () => db.close(),
});

/** `form` says of what form the rows and their copies are. */
function templateOf(): Template & { readonly form: string } {
  // All rows, though there is one: a statement that is not at its end keeps the file locked.
  const [row] = db
    .prepare('SELECT id, created_at, state, journal, plan FROM progress JOIN task USING (id)')
    .all() as { id: number; created_at: number; state: string; journal: string; plan: string }[];
  if (row === undefined) throw new Error('there is no task to copy');
  const schema = db.prepare('SELECT sql FROM sqlite_master ORDER BY name').all();
  const pages = db.prepare('PRAGMA page_size').all();
  const { created_at: at, id, journal, plan, state } = row;
  const texts = [state, journal, plan, ...copyStatements({ id, at }, FINISHED_SQL)].join(' ');
  const form = texts.replaceAll(/[0-9a-f]+(-[0-9a-f]+)+/g, 'id').replaceAll(/\d+/g, '0');
  const hash = createHash('sha256').update(JSON.stringify([schema, pages]) + form);
  return { id, at, form: hash.digest('hex').slice(0, 12) };
}

function fill(count: number, copy: CopySql): void {
  const template = templateOf();
  db.exec('PRAGMA journal_mode = DELETE');
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -256000');
  db.exec('BEGIN');
  for (const sql of copyStatements(template, copy)) db.exec(sql.replaceAll(':count', `${count}`));
  db.exec('COMMIT');
  db.exec('PRAGMA journal_mode = WAL');
  // Else the disk is busy with the copies while the first tasks are measured.
  const descriptor = openSync(FILE, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** One statement for each table that has rows of tasks. */
function copyStatements({ at, id }: Template, copy: CopySql): readonly string[] {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return (tables as { name: string }[]).flatMap(({ name }) => {
    const columns = db.prepare(`PRAGMA table_info(${name})`).all() as { name: string }[];
    const key = TABLES_OF_ONE.includes(name) ? 'id' : 'task';
    if (!columns.some((column) => column.name === key)) return [];
    const own: Readonly<Record<string, string>> = {
      [key]: `${id} + i`,
      task_id: copy.id,
      created_at: copy.at,
      plan: `replace(replace(plan, task_id, ${copy.id}), '${at}', ${copy.at})`,
    };
    const names = columns.map((column) => column.name);
    const values = names.map((column) => own[column] ?? column);
    return `
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
      INSERT INTO ${name} (${names.join(', ')})
      SELECT ${values.join(', ')} FROM n, ${name} WHERE ${name}.${key} = ${id}`;
  });
}

function trim(count: number): void {
  const last = `(SELECT min(id) FROM progress) + ${count}`;
  db.exec(`BEGIN; DELETE FROM task WHERE id > ${last};`);
  db.exec(`DELETE FROM progress WHERE id > ${last}; COMMIT`);
}
