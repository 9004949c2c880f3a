import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '#core';
import { restsSince } from '#core/read';
import { archivedTask, putBack, readArchivedTask } from '#core/stored';
import { endedOf, ManualClock, nextOf, SAMPLE_TIME, sampleTask } from '#testing';
import { FileArchive, readArchive } from './index.js';
import { MANIFEST } from './manifest.js';

let folder: string;
let names = 0;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-archive-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function archive(into = folder): FileArchive {
  const newName = (): string => `name-${(names += 1)}`;
  const clock = new ManualClock(SAMPLE_TIME);
  return new FileArchive({ folder: into, clock, newName, writtenBy: '1.2.3' });
}

function ended(): Task {
  const labels = { team: 'db', 'a.b': '$x', '': 'empty key' };
  const parameters = { name: 'größe \u2028 \ud800', deep: { list: [1, null, { a: '' }] } };
  return endedOf(nextOf(sampleTask({ idempotencyKey: 'one', labels, parameters })));
}

async function readAll(from = folder): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const lines of readArchive(from)) values.push(...lines.map(({ value }) => value));
  return values;
}

async function entries(): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

describe('an archive of files', () => {
  it('gives back what was written, without loss', async () => {
    const tasks = [ended(), ended()];
    const [one] = tasks as [Task];
    const endless = { ...one.runs[0]!.normal, deadline: Infinity };
    const third = {
      ...ended(),
      plan: { ...one.plan, deadline: Infinity },
      runs: [{ ...one.runs[0]!, normal: endless }, ...one.runs.slice(1)],
    };
    await archive().write(tasks);
    await archive().write([third]);
    expect((await readAll()).map(readArchivedTask)).toEqual([...tasks, third]);
  });

  it('has a manifest with an entry for each file, and leaves nothing half written', async () => {
    await archive().write([ended(), ended()]);
    await archive().write([ended()]);
    const day = new Date(SAMPLE_TIME).toISOString().slice(0, 10);
    const files = await readdir(path.join(folder, day));
    const found = await entries();
    const named = found.map(({ file }) => String(file)).toSorted();
    expect(named).toEqual(files.map((file) => `${day}/${file}`).toSorted());
    expect(found).toEqual([
      expect.objectContaining({ v: 1, tasks: 2, writtenBy: '1.2.3' }),
      expect.objectContaining({ v: 1, tasks: 1, lastEnded: expect.stringMatching(/^2025-/) }),
    ]);
    expect(files.every((file) => file.endsWith('.jsonl.gz'))).toBe(true);
  });

  it('begins another file before one gets too large to be read as one text', async () => {
    const large = sampleTask({ parameters: { text: 'x'.repeat(40_000_000) } });
    await archive().write([ended(), endedOf(large), endedOf(large), ended()]);
    expect((await entries()).map(({ tasks }) => tasks)).toEqual([2, 2]);
    expect(await readAll()).toHaveLength(4);
  });

  it('makes its folder anew where somebody took it away, at the second try', async () => {
    const own = archive();
    await own.write([ended()]);
    await rm(folder, { recursive: true });
    await expect(own.write([ended()])).rejects.toThrow('ENOENT');
    await own.write([ended()]);
    expect(await readAll()).toHaveLength(1);
  });

  it('writes no file where no entry can be written for it', async () => {
    await mkdir(path.join(folder, MANIFEST));
    const own = archive();
    await expect(own.write([ended()])).rejects.toThrow('EISDIR');
    await expect(own.write([ended()])).rejects.toThrow('EISDIR');
    const found = await readdir(folder, { recursive: true });
    expect(found.filter((name) => name.endsWith('.gz'))).toEqual([]);
  });

  it('goes on behind an entry that a crash tore off', async () => {
    await archive().write([ended()]);
    await appendFile(path.join(folder, MANIFEST), '{"v":1,"file":"2026-01-01/x.jsonl.gz","sha2');
    await archive().write([ended()]);
    expect(await readAll()).toHaveLength(2);
  });

  it('tells of a file that was changed, cut short or taken away', async () => {
    await archive().write([ended()]);
    const [entry] = await entries();
    const file = path.join(folder, String(entry?.['file']));
    const content = await readFile(file);
    await writeFile(file, content.subarray(0, -1));
    await expect(readAll()).rejects.toThrow('it was changed or cut short');
    await rm(file);
    await expect(readAll()).rejects.toThrow('cannot be read: ENOENT');
  });

  it('reads nothing outside of its folder', async () => {
    const line = { v: 1, file: '../../etc/passwd', tasks: 1, sha256: 'x' };
    await writeFile(path.join(folder, MANIFEST), `${JSON.stringify(line)}\n`);
    expect(await readAll()).toEqual([]);
  });

  it('is none without a manifest', async () => {
    await expect(readAll()).rejects.toThrow('has no manifest of an archive');
  });

  it('fails where it cannot write, and leaves no entry', async () => {
    const file = path.join(folder, 'a-file');
    await writeFile(file, '');
    await expect(archive(file).write([ended()])).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['a-file']);
  });
});

describe('an archived task', () => {
  const whole = JSON.parse(JSON.stringify(archivedTask(ended()))) as Record<string, unknown>;
  const task = whole['task'] as Record<string, unknown>;

  it.each([
    ['nothing', null, 'is no archived task'],
    ['a text', 'task', 'is no archived task'],
    ['another format', { ...whole, archive: 1 }, 'does not know'],
    ['no plan', { ...whole, task: { ...task, plan: null } }, 'cannot be read'],
    ['broken runs', { ...whole, task: { ...task, runs: [{}] } }, 'cannot be read'],
    ['no members', { ...whole, task: {} }, 'cannot be read'],
    ['a live task', archivedTask(sampleTask()), 'is not final'],
  ])('is refused where it is %s', (_, value, fault) => {
    expect(readArchivedTask(value)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('is kept from the moment of its return on, whatever it was before', () => {
    const back = putBack(ended(), SAMPLE_TIME + 99_000);
    expect(restsSince(back)).toBe(SAMPLE_TIME + 99_000);
    const again = putBack(back, SAMPLE_TIME + 100_000);
    expect(again.doneActions).toEqual([{ key: null, action: 'import', at: SAMPLE_TIME + 100_000 }]);
  });
});
