import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe } from '@jest/globals';
import { storeContract, type StoreFixture } from '#testing';
import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { storePlays } from '../../../test/fuzz/store-plays.js';
import { openSqliteStore } from './index.js';

storeContract('SQLite', open);

describe('SQLite store', () => {
  storeKeeps(open, 25);
  storePlays(open, 40);
});

async function open(): Promise<StoreFixture> {
  return openFixture(await mkdtemp(path.join(tmpdir(), 'backstep-store-')));
}

async function openFixture(folder: string): Promise<StoreFixture> {
  const store = await openSqliteStore({ path: path.join(folder, 'tasks.db') });
  return {
    tasks: store,
    flows: store,
    executors: store,
    sessions: store,
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
