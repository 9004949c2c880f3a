import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadSettings, type Settings } from '#settings';
import { openSqliteStore, SqliteBackup } from '#store-sqlite';
import {
  type Companion,
  type ProcessParts,
  type ProcessPlan,
  startProcess,
} from './start-process.js';

let folder: string;
let file: string;
let settings: Settings;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-start-'));
  file = path.join(folder, 'backstep.db');
  const flags = { store: `sqlite:${file}`, data: folder, http: '127.0.0.1:0', log: 'silent' };
  settings = loadSettings({ mode: 'test', flags, cwd: folder });
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function planOf(parts: ProcessParts, more: Partial<ProcessPlan> = {}): ProcessPlan {
  const duties = { executor: true, governance: false };
  return { name: 'own', port: 0, duties, parts: () => parts, ...more };
}

/** Something beside the engine, which fails to start or to stop where it is said with what. */
function companion({ start, stop }: { start?: string; stop?: string }): Companion {
  const end = (reason?: string) => (reason ? Promise.reject(new Error(reason)) : Promise.resolve());
  return { start: () => end(start), stop: () => end(stop) };
}

describe('a process that ends', () => {
  afterEach(async () => {
    // Refused where this process has the store open.
    const store = await openSqliteStore({ path: file });
    await store.close();
  });

  it('lets go of the store where no engine can be built', async () => {
    const secretResolvers = [{ name: 'env', resolve: async () => 'x' }];
    const starting = startProcess(planOf({ modules: [] }, { secretResolvers }), settings);
    await expect(starting).rejects.toThrow('two resolvers of secrets are called env');
  });

  it('lets go of the store where the leftover of a backup cannot be removed', async () => {
    const drop = jest.spyOn(SqliteBackup.prototype, 'dropLeftover');
    drop.mockRejectedValueOnce(new Error('EACCES'));
    await expect(startProcess(planOf({ modules: [] }), settings)).rejects.toThrow('EACCES');
    drop.mockRestore();
  });

  it('lets go of the store where a part neither starts nor stops, and says why', async () => {
    const companions = [companion({ start: 'no start', stop: 'no stop' })];
    const starting = startProcess(planOf({ modules: [], companions }), settings);
    await expect(starting).rejects.toThrow('no start');
  });

  it('lets go of the store where parts do not stop, and tells of the first', async () => {
    const companions = [companion({ stop: 'second' }), companion({ stop: 'first' })];
    const running = await startProcess(planOf({ modules: [], companions }), settings);
    await expect(running.stop()).rejects.toThrow('first');
  });
});
