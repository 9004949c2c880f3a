import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { commandContext, SystemClock } from '#testing';
import { TARGET_TABLE, TargetList } from './target-list.js';
import { TargetExecutor } from './target.executor.js';

describe('watching targets', () => {
  const clock = new SystemClock();
  let folder: string;
  let files: SqliteFile[];
  let executor: TargetExecutor;

  const targetFile = () => path.join(folder, 'targets', 'backstep.json');
  const open = async () => {
    const migrations = [BARRIER_TABLE, TARGET_TABLE];
    const file = path.join(folder, 'monitor.db');
    const opened = await openSqlite({ clock, file, migrations });
    files.push(opened);
    return new TargetExecutor(new TargetList(opened, targetFile(), clock));
  };

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-targets-'));
    files = [];
    executor = await open();
  });

  afterEach(async () => {
    for (const file of files) await file.close();
    rmSync(folder, { recursive: true });
  });

  const read = () =>
    JSON.parse(readFileSync(targetFile(), 'utf8')) as { targets: string[]; labels: object }[];
  const watched = () => read().flatMap(({ targets }) => targets);
  const db1 = { instance: 'db-1', endpoint: 'h1:3306' };
  const adding = (fencingToken: number, taskId = 't') => commandContext({ taskId, fencingToken });
  const undoing = (fencingToken: number, taskId = 't') =>
    commandContext({ taskId, fencingToken, direction: 'rollback' });

  it('writes the file that Prometheus reads', async () => {
    await executor.addTarget({ ...db1, targetLabels: { team: 'shop' } }, adding(1));
    expect(read()).toEqual([
      {
        targets: ['h1:3306'],
        labels: { team: 'shop', instance: 'db-1', flow: 'flow', task_id: 't' },
      },
    ]);
  });

  it('watches every member of a cluster', async () => {
    const member = (n: number) => ({ instance: `i${n}`, endpoint: `h${n}:1`, role: 'replica' });
    const results = { one: { a: member(1) }, two: { b: member(2), cpu: 4 } };
    const context = commandContext({ results });
    expect(await executor.addTarget({}, context)).toEqual({ watched: ['h1:1', 'h2:1'] });
    expect(read()).toMatchObject([{ labels: { role: 'replica' } }, { targets: ['h2:1'] }]);
  });

  it('adds once, takes back once, and never after it was taken back', async () => {
    await executor.addTarget(db1, adding(1));
    await executor.addTarget(db1, adding(2));
    expect(watched()).toEqual(['h1:3306']);
    await executor.removeTarget({}, undoing(3));
    expect(watched()).toEqual([]);
    await expect(executor.addTarget(db1, adding(2))).rejects.toMatchObject({ name: 'Superseded' });
    expect(watched()).toEqual([]);
  });

  it('leaves a target to the task that added it', async () => {
    await executor.addTarget(db1, adding(1, 'first'));
    const attempt = executor.addTarget({ ...db1, endpoint: 'h2:1' }, adding(1, 'second'));
    await expect(attempt).rejects.toMatchObject({
      name: 'TerminalError',
      message: 'instance db-1 is watched already, for task first',
    });
    expect(watched()).toEqual(['h1:3306']);
    await executor.removeTarget({}, undoing(2, 'second'));
    expect(watched()).toEqual(['h1:3306']);
  });

  it('watches what steps have made, not what a request says they have', async () => {
    const parameters = { x: { instance: 'other', endpoint: 'evil.example:80' } };
    const attempt = executor.addTarget({}, commandContext({ parameters }));
    await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
    const results = { init: { instance: 'db-1', endpoint: 'h1:3306' } };
    const given = { instance: 'other', endpoint: 'evil.example:80' };
    await executor.addTarget(given, commandContext({ parameters, results }));
    expect(watched()).toEqual(['h1:3306']);
  });

  it('removes as a step of its own, and adds again as the rollback of that', async () => {
    await executor.addTarget(db1, adding(1));
    const removal = adding(1, 'deletion');
    expect(await executor.removeTarget({ instance: 'db-1' }, removal)).toEqual({
      unwatched: ['db-1'],
    });
    expect(watched()).toEqual([]);
    await executor.addTarget({ instance: 'db-1' }, undoing(2, 'deletion'));
    expect(watched()).toEqual(['h1:3306']);
  });

  it('loses nothing when tasks and processes write at once', async () => {
    const other = await open();
    const names = Array.from({ length: 40 }, (_, n) => `i${String(n).padStart(2, '0')}`);
    await Promise.all(
      names.map((instance, n) =>
        (n % 2 ? executor : other).addTarget(
          { instance, endpoint: `${instance}:1` },
          adding(1, instance),
        ),
      ),
    );
    expect(watched()).toEqual(names.map((instance) => `${instance}:1`));
  });

  it.each([
    {},
    { instance: 'db-1' },
    { instance: 'db-1', endpoint: 'a/b' },
    { ...db1, endpoint: 'h1:0' },
    { ...db1, endpoint: '169.254.169.254:80' },
    { ...db1, targetLabels: { 'a-b': 'c' } },
    { ...db1, targetLabels: { __metrics_path__: '/latest/meta-data' } },
    { ...db1, targetLabels: { job: 'node' } },
    { ...db1, targetLabels: { instance: 'db-2' } },
    { ...db1, targetLabels: { a: 1 } },
  ])('fails for good where there is nothing that Prometheus could watch', async (parameters) => {
    const attempt = executor.addTarget(parameters, adding(1));
    await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
  });
});
