import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isUnreadable, ProcessUnavailable, StoreDamaged, StoreUnavailable } from '#ports';
import { nextOf, sampleTask, SystemClock } from '#testing';
import { openSqliteStore, settleCopy, SqliteBackup, type SqliteStore } from '../index.js';
import { Database, sqliteCode } from '../worker/database.js';

const clock = new SystemClock();
const LANES = 8;
const COPIES = 3;
const LARGE = { text: 'x'.repeat(10_000) };
/** The revision of a task that was just made. */
const FIRST = sampleTask().revision;

let home: string;
let data: string;
let file: string;
let store: SqliteStore;
let backup: SqliteBackup;
let side: Database;

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'backstep-backup-'));
  data = path.join(home, 'data');
  file = path.join(data, 'backstep.db');
  // Few pages, so that pages move all the time.
  store = await openSqliteStore({ path: file, checkpointPages: 24 });
  backup = new SqliteBackup({ clock, places: { data, file }, store });
  side = new Database(path.join(data, 'marks.db'), { timeout: 1 });
  side.value('PRAGMA journal_mode = WAL');
  side.execute('CREATE TABLE mark (task TEXT)');
});

afterEach(async () => {
  side.close();
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

/** As executors write: in one turn, and again while a lock is held. */
async function mark(taskId: string): Promise<void> {
  for (;;) {
    try {
      side.execute('BEGIN IMMEDIATE');
      side.prepare('INSERT INTO mark VALUES (?)').run([taskId]);
      side.execute('COMMIT');
      return;
    } catch (error) {
      if (!sqliteCode(error).startsWith('SQLITE_BUSY')) throw error;
      // Timers that are due one after another would keep the process that copies waiting.
      await new Promise(setImmediate);
    }
  }
}

/** Stores a task, then marks its effect, then stores that the task knows it. */
async function lane(life: { isOver: boolean }): Promise<void> {
  while (!life.isOver) {
    const task = sampleTask();
    await store.insert(task);
    await mark(task.plan.taskId);
    await store.commit(task, nextOf(task));
  }
}

/** Ids in a copy: of tasks, of those that know their effect, and of marks. */
async function contentOf(folder: string) {
  expect(settleCopy(folder).tasks).toBeGreaterThan(0);
  const marks = new Database(path.join(folder, 'marks.db'));
  const marked = new Set(marks.prepare('SELECT task FROM mark').rows([]).map(String));
  marks.close();
  const copy = await openSqliteStore({ path: path.join(folder, 'backstep.db') });
  const [tasks, knowing] = [new Set<string>(), new Set<string>()];
  for await (const { item } of copy.walk({})) {
    if (isUnreadable(item)) throw new Error(`a task of the copy cannot be read: ${item.taskId}`);
    const { taskId } = item.plan;
    tasks.add(taskId);
    if (item.revision > FIRST) knowing.add(taskId);
  }
  await copy.close();
  return { tasks, knowing, marked };
}

const without = (some: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...some].filter((id) => !others.has(id));

describe('a copy of a store at work', () => {
  it('is of one moment: no mark without its task, and no task that knows of a missing mark', async () => {
    const life = { isOver: false };
    const lanes = Array.from({ length: LANES }, () => lane(life));
    for (let n = 0; n < COPIES; n += 1) {
      await clock.sleep(30 + 17 * n);
      const before = sampleTask();
      await store.insert(before);
      const { drop, folder } = await backup.take();
      const { knowing, marked, tasks } = await contentOf(folder);
      await drop();
      expect(tasks).toContain(before.plan.taskId);
      expect(without(marked, tasks)).toEqual([]);
      expect(without(knowing, marked)).toEqual([]);
      expect(marked.size).toBeGreaterThan(0);
    }
    life.isOver = true;
    await Promise.all(lanes);
    expect(existsSync(path.join(data, 'backup.part'))).toBe(false);
  });

  it('lets the store and the side files be written again', async () => {
    await store.insert(sampleTask());
    await (await backup.take()).drop();
    const task = sampleTask();
    await store.insert(task);
    await mark(task.plan.taskId);
    await store.close();
    store = await openSqliteStore({ path: file });
    expect((await store.get(task.plan.taskId))?.plan).toEqual(task.plan);
  });

  it('has effects that are files, and neither other files nor leftovers', async () => {
    mkdirSync(path.join(data, 'instances', 'one'), { recursive: true });
    writeFileSync(path.join(data, 'instances', 'one', 'my.cnf'), 'x');
    writeFileSync(path.join(data, 'token'), 'secret');
    mkdirSync(path.join(data, 'backup.part'));
    writeFileSync(path.join(data, 'backup.part', 'old.db'), 'x');
    const { folder } = await backup.take();
    settleCopy(folder);
    expect(readdirSync(folder).toSorted()).toEqual(['backstep.db', 'instances', 'marks.db']);
    expect(readdirSync(path.join(folder, 'instances', 'one'))).toEqual(['my.cnf']);
  });

  it('is none where the store is closed meanwhile', async () => {
    await store.insert(sampleTask());
    const taken = backup.take();
    const closed = store.close();
    await expect(taken).rejects.toThrow(StoreUnavailable);
    await closed;
    expect(readdirSync(data)).not.toContain('backup.part');
  });

  it('waits for another time where no process can copy', async () => {
    const { execPath } = process;
    process.execPath = path.join(home, 'nothing');
    await expect(backup.take()).rejects.toThrow(ProcessUnavailable);
    process.execPath = execPath;
    expect(readdirSync(data)).not.toContain('backup.part');
    await store.insert(sampleTask());
    settleCopy((await backup.take()).folder);
  });

  it.each([
    [
      'its first files cannot be copied',
      () => writeFileSync(path.join(data, 'backup.part', 'instances'), ''),
    ],
    ['the answer to the hold is lost', () => Promise.reject(new StoreUnavailable('lost'))],
  ] as const)('lets the log move into the file again where %s', async (_why, onHeld) => {
    const hold = async (): Promise<void> => {
      await store.hold();
      await onHeld();
    };
    const holder = { hold, release: () => store.release() };
    backup = new SqliteBackup({ clock, places: { data, file }, store: holder });
    await expect(backup.take()).rejects.toThrow(StoreUnavailable);
    for (let n = 0; n < 100; n += 1) await store.insert(sampleTask({ parameters: LARGE }));
    expect(statSync(`${file}-wal`).size).toBeLessThan(1_000_000);
  });

  it('is refused by a check where it is damaged', async () => {
    for (let n = 0; n < 40; n += 1) await store.insert(sampleTask());
    const { folder } = await backup.take();
    const bytes = Buffer.alloc(8_192, 0xaa);
    const copied = path.join(folder, 'backstep.db');
    writeFileSync(copied, Buffer.concat([readFileSync(copied).subarray(0, 8_192), bytes]));
    expect(() => settleCopy(folder)).toThrow(StoreDamaged);
    rmSync(copied);
    expect(() => settleCopy(folder)).toThrow('has no store');
  });
});
