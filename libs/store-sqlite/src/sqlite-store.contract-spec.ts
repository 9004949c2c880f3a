import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { storeContract, type StoreFixture } from '#testing';
import { openSqliteStore } from './index.js';

storeContract('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-store-'));
  return openFixture(folder);
});

async function openFixture(folder: string): Promise<StoreFixture> {
  const store = await openSqliteStore({ path: path.join(folder, 'tasks.db') });
  return {
    tasks: store,
    flows: store,
    executors: store,
    reopen: async () => {
      await store.close();
      return openFixture(folder);
    },
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
