import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { LookAgain } from '#executor';
import { commandContext, SystemClock } from '#testing';
import { COMPLETION_TABLE } from './completion-log.js';
import { EffectLog, LAB_TABLES } from './effect-log.js';
import { EffectExecutor } from './effect.executor.js';
import { EffectsController } from './lab.module.js';

describe('the practice effects', () => {
  let folder: string;
  let file: SqliteFile;
  let executor: EffectExecutor;
  let page: EffectsController;

  const open = async () => {
    const clock = new SystemClock();
    const migrations = [BARRIER_TABLE, LAB_TABLES, COMPLETION_TABLE];
    file = await openSqlite({ clock, file: path.join(folder, 'lab.db'), migrations });
    const log = new EffectLog(file, clock);
    executor = new EffectExecutor(log);
    page = new EffectsController(log);
  };

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-lab-'));
    await open();
  });

  afterEach(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });

  const forward = (fencingToken: number, taskId = 't') =>
    commandContext({ taskId, step: 's', fencingToken });
  const back = (fencingToken: number) =>
    commandContext({ taskId: 't', step: 's', direction: 'rollback', fencingToken });
  const item = { taskId: 't', step: 's', id: 's', name: 'x' };

  it('happen once however often they are attempted, also after a restart', async () => {
    await executor.effect({ name: 'x' }, forward(1));
    await file.close();
    await open();
    await executor.effect({ name: 'x' }, forward(2));
    expect(page.effects({ taskId: 't' })).toEqual({ items: [{ ...item, applied: 1, undone: 0 }] });
  });

  it('are listed to the last one of a task, and only so many of all', async () => {
    for (let n = 0; n < 1_010; n += 1) {
      await executor.effect({ name: 'x' }, commandContext({ taskId: 't', step: `s-${n}` }));
    }
    expect(page.effects({ taskId: 't' }).items).toHaveLength(1_010);
    expect(page.effects({}).items).toHaveLength(1_000);
  });

  it('are undone once', async () => {
    await executor.effect({ name: 'x' }, forward(1));
    await executor.undoEffect({ name: 'x' }, back(2));
    await executor.undoEffect({ name: 'x' }, back(3));
    expect(page.effects({ taskId: 't' })).toEqual({ items: [{ ...item, applied: 1, undone: 1 }] });
  });

  it('are forgotten with the marks of their task, and so is work that was looked at', async () => {
    const [old, young] = ['01900000-0000-7000-8000-000000000001', 't'];
    const before = new SystemClock().now() + 1;
    await executor.effect({ name: 'x' }, forward(1, old));
    await executor.again(
      { delay: 0, times: 9 },
      { ...forward(1, old), idempotencyKey: `${old}:s:normal` },
    );
    const [marks] = executor.marks();
    const idsAt = async (at: number): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const ids of marks!.oldTasks(at)) found.push(...ids);
      return [...new Set(found)];
    };
    expect(await idsAt(before + 60_000)).toEqual([old]);
    // The mark was touched a moment ago.
    expect(await marks!.forget([old], 1)).toBe(0);
    expect(page.effects({ taskId: old }).items).toHaveLength(1);
    await executor.effect({ name: 'x' }, forward(1, young));
    expect(await marks!.forget([old], before + 60_000)).toBe(1);
    expect(page.effects({})).toEqual({ items: [{ ...item, applied: 1, undone: 0 }] });
    expect(file.read((tx) => tx.all('SELECT * FROM looks'))).toEqual([]);
    expect(await idsAt(1)).toEqual([]);
  });

  it('do not happen after they were undone, and are not undone where they never were', async () => {
    await executor.undoEffect({ name: 'x' }, back(2));
    await expect(executor.effect({ name: 'x' }, forward(1))).rejects.toMatchObject({
      name: 'Superseded',
    });
    expect(page.effects({ taskId: 't' })).toEqual({ items: [] });
  });

  it('happen once for each run of a step, and are counted for each', async () => {
    const again = (fencingToken: number) =>
      commandContext({ taskId: 't', step: 's', run: 's~2', fencingToken });
    await executor.effect({ name: 'x' }, forward(1));
    await executor.undoEffect({ name: 'x' }, back(2));
    await executor.effect({ name: 'x' }, again(3));
    await executor.effect({ name: 'x' }, again(4));
    expect(page.effects({ taskId: 't' }).items).toEqual([
      { ...item, applied: 1, undone: 1 },
      { ...item, id: 's~2', applied: 1, undone: 0 },
    ]);
  });

  it('are listed by task, or all', async () => {
    await executor.effect({ name: 'x' }, forward(1));
    await executor.effect({ name: 'x' }, forward(1, 'u'));
    expect(page.effects({ taskId: 'u' }).items).toMatchObject([{ taskId: 'u' }]);
    expect(page.effects({}).items).toHaveLength(2);
  });

  it.each([{ taskid: 't' }, { taskId: ['t', 'u'] }])('are not listed for %j', (query) => {
    expect(() => page.effects(query)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('again is finished after as many looks as it was told, also across a restart', async () => {
    const look = () => executor.again({ times: 2, delay: '10s' }, forward(1));
    expect(await look()).toEqual(new LookAgain(10_000));
    await file.close();
    await open();
    expect(await look()).toEqual(new LookAgain(10_000));
    expect(await look()).toBeUndefined();
  });
});
