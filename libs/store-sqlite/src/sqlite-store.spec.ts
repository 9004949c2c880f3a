import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { endedOf, nextOf, sampleTask } from '#testing';
import { StoreUnavailable } from '#ports';
import { openSqliteStore, StoreBusy, type SqliteStore } from './index.js';

const DIST = new URL('../../../dist/libs/', import.meta.url).href;

/** Writes without end, and says of each write that it was acknowledged. */
const WRITER = `
  const { openSqliteStore } = await import('${DIST}store-sqlite/src/index.js');
  const { sampleTask, nextOf } = await import('${DIST}testing/src/index.js');
  const store = await openSqliteStore({ path: process.argv[1], checkpointPages: 50 });
  const lane = async () => {
    for (;;) {
      let task = sampleTask();
      await store.insert(task);
      for (let n = 0; n < 4; n += 1) {
        const next = nextOf(task);
        await store.commit(task, next);
        task = next;
        process.stdout.write(task.plan.taskId + ' ' + task.revision + '\\n');
      }
    }
  };
  for (let n = 0; n < 16; n += 1) lane();
`;

describe('the SQLite store', () => {
  let folder: string;
  let file: string;
  let store: SqliteStore;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-sqlite-'));
    file = path.join(folder, 'new', 'tasks.db');
    store = await openSqliteStore({ path: file });
  });

  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses a file that is open already, with its name, and does no harm by that', async () => {
    await expect(openSqliteStore({ path: file })).rejects.toThrow(StoreBusy);
    await expect(openSqliteStore({ path: file })).rejects.toThrow(file);
    const task = sampleTask();
    await store.insert(task);
    expect(await store.get(task.plan.taskId)).toBe(task);
  });

  it('lists a task as the same object until it moves', async () => {
    const task = sampleTask();
    await store.insert(task);
    const listed = async () => (await store.list({ limit: 1 })).items[0];
    const first = await listed();
    expect(await listed()).toBe(first);
    await store.commit(task, nextOf(task));
    expect(await listed()).toMatchObject({ revision: task.revision + 1 });
  });

  it('uses the room of removed tasks again: the file does not grow', async () => {
    const labels = { team: 'db' };
    const sizes: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const tasks = Array.from({ length: 500 }, () => endedOf(sampleTask({ labels })));
      await Promise.all(tasks.map((task) => store.insert(task)));
      expect(await store.finals.remove(tasks)).toBe(500);
      await store.close();
      sizes.push((await stat(file)).size);
      store = await openSqliteStore({ path: file });
    }
    expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(1.02 * sizes[0]!);
  });

  it('never gives the row of a removed task to another one while it is open', async () => {
    const gone = endedOf(sampleTask());
    await store.insert(gone);
    await store.finals.remove([gone]);
    const other = { ...endedOf(sampleTask()), revision: gone.revision };
    await store.insert(other);
    // A reader of the one that is gone knows its row, and commits by that.
    expect(await store.commit(gone, nextOf(gone, { status: 0 }))).toBe('conflict');
    expect(await store.get(other.plan.taskId)).toBe(other);
  });

  it('keeps its file to its owner', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('answers from memory while a task lives, with the document that was committed', async () => {
    const task = sampleTask();
    const next = nextOf(task);
    await store.insert(task);
    await store.commit(task, next);
    expect(await store.get(task.plan.taskId)).toBe(next);
    expect((await store.findDue(Infinity, 5))[0]).toBe(next);
    for await (const { item } of store.walk({})) expect(item).toBe(next);
    await store.commit(next, endedOf(next));
    expect(await store.get(task.plan.taskId)).toEqual(endedOf(next));
  });

  it('works the same when memory holds nothing', async () => {
    await store.close();
    store = await openSqliteStore({ path: file, cache: { tasks: 0, characters: 0 } });
    let task = sampleTask({ idempotencyKey: 'k' });
    await store.insert(task);
    for (let nth = 0; nth < 5; nth += 1) {
      const next = nextOf(task);
      expect(await store.commit(task, next)).toBe('committed');
      expect(await store.commit(task, next)).toBe('conflict');
      task = next;
    }
    expect(await store.get(task.plan.taskId)).toEqual(task);
  });

  it('goes on through many checkpoints', async () => {
    await store.close();
    store = await openSqliteStore({ path: file, checkpointPages: 20 });
    let task = sampleTask();
    await store.insert(task);
    for (let nth = 0; nth < 200; nth += 1) {
      const next = nextOf(task);
      await store.commit(task, next);
      task = next;
    }
    expect((await stat(`${file}-wal`)).size).toBeLessThan(1_000_000);
    expect(await store.get(task.plan.taskId)).toEqual(task);
  });

  it('keeps its log small though writes become large, and cuts it after a large one', async () => {
    await store.close();
    store = await openSqliteStore({ path: file, checkpointPages: 20 });
    const insert = (length: number): Promise<unknown> =>
      store.insert(sampleTask({ parameters: { text: 'x'.repeat(length) } }));
    const logBytes = async (): Promise<number> => (await stat(`${file}-wal`)).size;
    for (let n = 0; n < 5; n += 1) await Promise.all(Array.from({ length: 200 }, () => insert(1)));
    for (let n = 0; n < 20; n += 1) await insert(100_000);
    expect(await logBytes()).toBeLessThan(500_000);
    await insert(2_000_000);
    await store.ping();
    expect(await logBytes()).toBeLessThan(500_000);
  });

  it('rejects everything when its worker dies', async () => {
    const dying = await openSqliteStore({
      path: file,
      workerUrl: new URL(`data:text/javascript,${encodeURIComponent(DYING_WORKER)}`),
    });
    const calls = [dying.insert(sampleTask()), dying.ping(), dying.get('x')];
    for (const call of calls) await expect(call).rejects.toThrow(StoreUnavailable);
    await expect(dying.ping()).rejects.toThrow(/worker has failed: no reason/);
    await dying.close();
  });

  it('loses nothing that was acknowledged when its process is killed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const killedFile = path.join(folder, `killed-${round}.db`);
      const acknowledged = await killWriter(killedFile, 100 + 137 * round);
      const survivor = await openSqliteStore({ path: killedFile });
      for (const [taskId, revision] of acknowledged) {
        const task = await survivor.get(taskId);
        expect(task?.revision).toBeGreaterThanOrEqual(revision);
      }
      await survivor.close();
    }
  }, 240_000);
});

const DYING_WORKER = `
  import { parentPort } from 'node:worker_threads';
  parentPort.postMessage({ kind: 'open' });
  parentPort.on('message', () => { throw new Error('no reason'); });
`;

/** Newest acknowledged revision by task, of a process that was killed after this number. */
async function killWriter(file: string, lines: number): Promise<ReadonlyMap<string, number>> {
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(writer, 'exit');
  const acknowledged = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    const [taskId = '', revision] = line.split(' ');
    // The last line may have been cut off by the kill.
    if (taskId.length === 36 && revision) acknowledged.set(taskId, Number(revision));
    count += 1;
    if (count === lines) writer.kill('SIGKILL');
  }
  await exited;
  expect(count).toBeGreaterThanOrEqual(lines);
  return acknowledged;
}
