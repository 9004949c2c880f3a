import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { BARRIER_TABLE, openSqlite } from '#barrier';
import { StoreUnavailable } from '#ports';
import { commandContext, RecordingObserver, SystemClock } from '#testing';
import { type MonitorStore, openMonitorStore } from './monitor-store.js';
import { SqliteTargets, TARGET_TABLE } from './sqlite-targets.js';
import { targetContract, type TargetPlace } from './target-suite-spec.js';
import { TargetExecutor } from './target.executor.js';
import { TargetsController } from './monitor.module.js';

const clock = new SystemClock();

async function newPlace(): Promise<TargetPlace> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'backstep-targets-'));
  const stores: MonitorStore[] = [];
  const observer = new RecordingObserver();
  return {
    open: async () => {
      const store = await openMonitorStore({ clock, dataFolder, observer, store: 'sqlite' });
      stores.push(store);
      const file = path.join(dataFolder, 'targets', 'backstep.json');
      return { file, targets: store.targets };
    },
    remove: async () => {
      for (const store of stores) await store.close();
      rmSync(dataFolder, { recursive: true });
    },
  };
}

targetContract('SQLite', newPlace);

it('writes its file again after a time in which another process held the store', async () => {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'backstep-targets-'));
  const migrations = [BARRIER_TABLE, TARGET_TABLE];
  const store = await openSqlite({ clock, file: path.join(dataFolder, 'monitor.db'), migrations });
  const file = path.join(dataFolder, 'targets.json');
  const targets = new SqliteTargets(store, file, clock);
  const held = jest.spyOn(store, 'write').mockRejectedValueOnce(new StoreUnavailable('held'));
  await expect(targets.project()).rejects.toThrow('held');
  await targets.project();
  expect([held.mock.calls.length, readFileSync(file, 'utf8')]).toEqual([2, '[]\n']);
  await store.close();
  rmSync(dataFolder, { recursive: true });
});

it('tells Prometheus the same in its file and over HTTP', async () => {
  const place = await newPlace();
  const { file, targets } = await place.open();
  const labels = { team: 'shop', instance: 'db-1', flow: 'flow', task_id: 'task-1' };
  const parameters = { instance: 'db-1', endpoint: 'h1:3306', targetLabels: { team: 'shop' } };
  await new TargetExecutor(targets).addTarget(parameters, commandContext());
  const groups = [{ targets: ['h1:3306'], labels }];
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(groups);
  expect(await new TargetsController(targets).list({})).toEqual(groups);
  await place.remove();
});
