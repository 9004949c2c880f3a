import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { openSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { closeSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreDamaged } from '#ports';
import { RecordingObserver, sampleTask } from '#testing';
import { examineSqliteFile, openSqliteStore, type SqliteStore } from './index.js';

const PAGE = 8_192;

let folder: string;
let file: string;
let store: SqliteStore | null;
let observer: RecordingObserver;

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'backstep-damaged-')), 'data');
  file = path.join(folder, 'a.db');
  observer = new RecordingObserver();
  store = null;
});

afterEach(async () => {
  await store?.close();
  rmSync(path.dirname(folder), { recursive: true, force: true });
});

/** Opens the file, with few pages in a log, so that many logs follow each other. */
async function open(at = file): Promise<SqliteStore> {
  store = await openSqliteStore({ path: at, observer, checkpointPages: 8 });
  return store;
}

async function close(): Promise<void> {
  await store?.close();
  store = null;
}

/** Once the ping is answered, the file is at rest. */
async function fill(tasks: number): Promise<void> {
  for (let n = 0; n < tasks; n += 6) {
    await Promise.all(Array.from({ length: 6 }, () => store!.insert(sampleTask())));
  }
  await store!.ping();
}

/** The file and its log as a crash would leave them now. */
function crashed(name: string): string {
  const place = path.join(folder, '..', name);
  mkdirSync(place);
  for (const end of ['', '-wal']) {
    if (existsSync(file + end)) copyFileSync(file + end, path.join(place, `a.db${end}`));
  }
  return path.join(place, 'a.db');
}

/** The state of a copy: the driver lets go of a file only when it collects its statements. */
function examined(at: string): string {
  const copy = path.join(mkdtempSync(path.join(path.dirname(folder), 'copy-')), 'a.db');
  for (const end of ['', '-wal']) if (existsSync(at + end)) copyFileSync(at + end, copy + end);
  return examineSqliteFile(copy).kind;
}

function overwrite(place: string, at: number, bytes: Buffer): void {
  const handle = openSync(place, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

describe('a file and the log beside it', () => {
  it('are opened if they belong together, and refused if not, whenever they were written', async () => {
    const found: string[] = [];
    await open();
    await close();
    await open();
    for (let n = 0; n < 4; n += 1) {
      await fill(12 * n);
      found.push(crashed(`crash-${n}`));
    }
    await close();
    const mains = found.map((each) => readFileSync(each));
    expect(mains.every((main, n) => n === 0 || !main.equals(mains[n - 1]!))).toBe(true);
    for (const [m, main] of found.entries()) {
      for (const [w, log] of found.entries()) {
        const mixed = path.join(folder, `${m}-${w}.db`);
        copyFileSync(main, mixed);
        copyFileSync(`${log}-wal`, `${mixed}-wal`);
        // A crash while a log was moved leaves it beside the file that has all of it.
        if (m === w + 1) continue;
        const fits = m === w;
        const opened = openSqliteStore({ path: mixed }).then((each) => each.close());
        if (fits) await opened;
        else await expect(opened).rejects.toThrow(/damaged|does not fit the log beside it/);
      }
    }
  }, 60_000);

  it('are refused when a backup was copied over what a crash left, with the remedy', async () => {
    await open();
    await close();
    const backup = crashed('backup');
    await open();
    await fill(30);
    const left = crashed('left');
    await close();
    expect(examined(left)).toBe('sound');
    copyFileSync(backup, left);
    expect(examined(left)).toBe('damaged');
    const opened = openSqliteStore({ path: left });
    await expect(opened).rejects.toThrow(StoreDamaged);
    await expect(opened).rejects.toThrow(
      /does not fit the log.*empty the folder.*restore a backup/,
    );
  });
});

describe('a file with damaged pages', () => {
  it.each([
    ['zeroed', (size: number) => overwrite(file, size - 3 * PAGE, Buffer.alloc(2 * PAGE))],
    ['cut short', (size: number) => truncateSync(file, size - 3 * PAGE)],
  ])('is refused when it is opened: %s', async (_, harm) => {
    await open();
    await fill(40);
    await close();
    expect(examined(file)).toBe('sound');
    harm(statSync(file).size);
    expect(examined(file)).toBe('damaged');
    await expect(open()).rejects.toThrow(StoreDamaged);
    await expect(open()).rejects.toThrow(/is damaged.*restore a backup/s);
  });
});

describe('a file that is open', () => {
  const moved = (): string => path.join(folder, '..', 'elsewhere');
  const harms: [string, RegExp, () => Promise<void> | void][] = [
    ['its folder is removed', /was removed or moved/, () => rmSync(folder, { recursive: true })],
    ['its folder is moved', /was removed or moved/, () => renameSync(folder, moved())],
    ['it is removed', /was removed or moved/, () => rmSync(file)],
    ['another one has its name', /was replaced/, replaceFile],
    ['it is copied over in place', /was changed by another program/, copyOver],
    ['it is cut short', /was changed by another program/, () => truncateSync(file, PAGE)],
    ['it is emptied', /was changed by another program/, () => truncateSync(file, 0)],
    ['something is added', /was changed by another program/, () => appendFileSync(file, 'x')],
    ['its log is removed', /has lost its log/, () => rmSync(`${file}-wal`)],
    ['its log is emptied', /log .*another program/, () => truncateSync(`${file}-wal`, 0)],
  ];

  async function replaceFile(): Promise<void> {
    rmSync(folder, { recursive: true });
    await (await openSqliteStore({ path: file })).close();
  }

  function copyOver(): void {
    const backup = path.join(folder, '..', 'backup.db');
    copyFileSync(backup, file);
  }

  it.each(harms)('takes and says nothing more once %s', async (_, why, harm) => {
    await open();
    await close();
    cpSync(file, path.join(folder, '..', 'backup.db'));
    const task = sampleTask();
    await open();
    await fill(30);
    await store!.insert(task);
    await store!.ping();
    await harm();
    const refused = store!.insert(sampleTask());
    await expect(refused).rejects.toThrow(StoreDamaged);
    await expect(refused).rejects.toThrow(why);
    await expect(store!.ping()).rejects.toThrow(why);
    await expect(store!.get(task.plan.taskId)).rejects.toThrow(StoreDamaged);
    await expect(store!.renewSession('a')).rejects.toThrow(StoreDamaged);
    const told = observer.notices.filter(({ level }) => level === 'error');
    expect(told).toEqual([
      expect.objectContaining({ name: 'store_damaged', message: expect.stringContaining(file) }),
    ]);
  });

  it('is noticed by the next look where nobody writes', async () => {
    await open();
    renameSync(folder, moved());
    await expect(store!.findDue(1, 1)).rejects.toThrow(StoreDamaged);
  });

  it('is left as it was restored, so that the next start sees what is right', async () => {
    await open();
    await close();
    const backup = readFileSync(file);
    await open();
    await fill(30);
    overwrite(file, 0, backup);
    truncateSync(file, backup.length);
    await expect(store!.ping()).rejects.toThrow(StoreDamaged);
    await close();
    expect(readFileSync(file).equals(backup)).toBe(true);
    await expect(open()).rejects.toThrow(/does not fit the log beside it/);
    rmSync(`${file}-wal`);
    await open();
  });

  it('leaves alone the file of a process that has taken its place', async () => {
    const first = await open();
    await fill(3);
    rmSync(folder, { recursive: true });
    const second = await openSqliteStore({ path: file });
    const task = sampleTask();
    await second.insert(task);
    await expect(first.ping()).rejects.toThrow(StoreDamaged);
    await close();
    await second.insert(sampleTask());
    await second.close();
    await open();
    expect(await store!.get(task.plan.taskId)).toEqual(task);
  });
});
