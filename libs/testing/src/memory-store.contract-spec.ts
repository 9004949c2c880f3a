import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { storeContract } from './contracts/store-contract.js';
import type { StoreFixture } from './contracts/store-fixture.js';
import { MemoryStore } from './memory-store.js';

function fixture(store: MemoryStore): StoreFixture {
  return {
    tasks: store,
    flows: store,
    executors: store,
    sessions: store,
    reopen: async () => {
      await store.close();
      return fixture(new MemoryStore(store.contents));
    },
    dispose: () => store.close(),
  };
}

storeContract('memory', async () => fixture(new MemoryStore()));
storeKeeps(async () => fixture(new MemoryStore()), 25);
