import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { examineSqliteFile, examineStoreFile } from '../examine.js';
import { STATE_FORMAT } from '../state-head.js';
import { Database } from './database.js';
import { migrate, MIGRATIONS } from './migrations.js';
import { DUE } from './task-reads.js';
import { explainOpening, openFile } from './open-file.js';

/** Where `user_version` stands in the head of a file of SQLite. */
const USER_VERSION_AT = 60;

describe('the form of the file', () => {
  let folder: string;
  let db: Database;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-form-'));
    db = new Database(path.join(folder, 'a.db'));
  });

  afterEach(async () => {
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is brought up to date once, and a second time does nothing', () => {
    migrate(db);
    expect(db.value('PRAGMA user_version')).toBe(MIGRATIONS.length);
    const before = db.value('SELECT group_concat(sql) FROM sqlite_master');
    migrate(db);
    expect(db.value('SELECT group_concat(sql) FROM sqlite_master')).toBe(before);
  });

  it('is brought on from wherever it is', () => {
    migrate(db, ['CREATE TABLE a (x)']);
    migrate(db, ['CREATE TABLE a (x)', 'ALTER TABLE a ADD COLUMN y']);
    expect(db.value('SELECT count(y) FROM a')).toBe(0);
    expect(db.value('PRAGMA user_version')).toBe(2);
  });

  it('of a newer version is refused, and nothing is changed', () => {
    migrate(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x)']);
    expect(() => migrate(db, ['CREATE TABLE a (x)'])).toThrow(/written by a newer version/);
    expect(db.value('PRAGMA user_version')).toBe(2);
  });

  it('of something else is refused', () => {
    db.execute('CREATE TABLE notes (x)');
    expect(() => migrate(db)).toThrow(/something else/);
    db.execute('PRAGMA user_version = 1');
    expect(() => migrate(db)).toThrow(/another program/);
  });

  it('takes no index for finished tasks when it looks for due ones', () => {
    migrate(db);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${DUE}`);
    expect(plan.rows([1, 1, 1, 0]).map(([, , , detail]) => detail)).toEqual([
      expect.stringMatching(/SEARCH progress USING (COVERING )?INDEX progress_by_wake_slot/),
    ]);
  });

  it('explains in one sentence why a file cannot be opened', async () => {
    const file = path.join(folder, 'b.db');
    const first = openFile(file);
    expect(explained(() => openFile(file))).toEqual(['busy', expect.stringMatching(/in use/)]);
    first.close();
    await writeFile(path.join(folder, 'c.db'), 'x'.repeat(5_000));
    const noDatabase = explained(() => openFile(path.join(folder, 'c.db')));
    expect(noDatabase).toEqual(['foreign', 'is not a SQLite database.']);
    const noFolder = explained(() => openFile(path.join(folder, 'c.db', 'd.db')));
    expect(noFolder[0]).toBe('failed');
  });

  it.each([
    ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM access_key; END', 't'],
    ['a trigger before rows', 'CREATE TRIGGER b BEFORE DELETE ON task BEGIN SELECT 1; END', 'b'],
    ['a view', 'CREATE VIEW v AS SELECT * FROM access_key', 'v'],
    ['a table', 'CREATE TABLE x (y)', 'x'],
    ['an index', 'CREATE INDEX i ON audit (entry)', 'i'],
    ['a virtual table', 'DROP TABLE audit; CREATE VIRTUAL TABLE audit USING fts5(x)', 'audit'],
  ])('with %s that no store has is refused', (_, harm, name) => {
    const [what, why] = explained(() => openFile(fileWith(harm)));
    expect([what, why]).toEqual(['foreign', expect.stringMatching(`holds .* ${name}"`)]);
  });

  it('with statistics of its tables is a store as any other', () => {
    expect(explained(() => openFile(fileWith('ANALYZE')))[0]).toBe('open');
  });

  /** A store that a person has changed. */
  function fileWith(harm: string): string {
    const file = path.join(folder, 'd.db');
    const other = new Database(file);
    migrate(other);
    other.execute(harm);
    other.close();
    return file;
  }
});

describe('a file of the form before the present one', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-older-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('with tasks that only an older version reads is refused, and nothing is changed', async () => {
    const file = olderWith('e.db', [STATE_FORMAT - 1, STATE_FORMAT]);
    expect(examineSqliteFile(file)).toMatchObject({ kind: 'sound' });
    expect(examineStoreFile(file)).toMatchObject({ kind: 'foreign' });
    const reason = /older version, in format \d+, and this version reads \d+\. It was not changed/;
    expect(explained(() => openFile(file))).toEqual(['foreign', expect.stringMatching(reason)]);
    expect((await readFile(file)).readUInt32BE(USER_VERSION_AT)).toBe(MIGRATIONS.length - 1);
  });

  it('whose oldest task nobody can read is brought on all the same', () => {
    const file = olderWith('f.db', ['x', STATE_FORMAT]);
    expect(examineStoreFile(file)).toMatchObject({ kind: 'sound' });
    expect(explained(() => openFile(file))[0]).toBe('open');
  });

  it('with origins among its labels has them in columns, and its labels as before', () => {
    const file = olderWith('g.db', [STATE_FORMAT]);
    const older = new Database(file);
    const rows = [`char(1) || 'client', '::1'`, `char(1) || 'operator', 'ann'`, `'team', 'db'`];
    older.execute(`INSERT INTO label VALUES ${rows.map((row) => `(${row}, 0, 1)`).join()}`);
    older.close();
    const db = openFile(file);
    const moved = db.prepare('SELECT request_id, client, operator FROM progress').rows([]);
    const left = db.prepare('SELECT key, value FROM label').rows([]);
    db.close();
    expect([moved, left]).toEqual([[[null, '::1', 'ann']], [['team', 'db']]]);
  });

  /** With tasks whose states have these formats. */
  function olderWith(name: string, formats: readonly (number | string)[]): string {
    const file = path.join(folder, name);
    const other = new Database(file);
    migrate(other, MIGRATIONS.slice(0, -1));
    const rows = formats.map((format) => `(1, 2, 'f', 0, '[[${format},', '')`);
    const columns = 'revision, status, flow, created_at, state, journal';
    other.execute(`INSERT INTO progress (${columns}) VALUES ${rows.join()}`);
    other.close();
    return file;
  }
});

function explained(open: () => Database): readonly [string, string] {
  try {
    open().close();
    return ['open', ''];
  } catch (error) {
    return explainOpening(error);
  }
}
