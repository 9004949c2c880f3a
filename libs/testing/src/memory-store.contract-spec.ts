import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { auditLogContract, type AuditLogFixture } from './contracts/audit-log.js';
import { storeContract } from './contracts/store-contract.js';
import type { StoreFixture } from './contracts/store-fixture.js';
import { MemoryStore } from './memory-store.js';

function fixture(store: MemoryStore): StoreFixture {
  return {
    tasks: store,
    flows: store,
    definitions: store.definitions,
    executors: store,
    sessions: store,
    started: store,
    children: store.children,
    locks: store.locks,
    records: store.records,
    finals: store.finals,
    changes: store.changes,
    reopen: async () => {
      await store.close();
      return fixture(new MemoryStore(store.contents));
    },
    dispose: () => store.close(),
  };
}

function auditOf(store: MemoryStore): AuditLogFixture {
  return {
    audit: store.audit,
    reopen: async () => auditOf(new MemoryStore(store.contents)),
    dispose: () => store.close(),
  };
}

auditLogContract('memory', async () => auditOf(new MemoryStore()));
storeContract('memory', async () => fixture(new MemoryStore()));
storeKeeps(async () => fixture(new MemoryStore()), 25);
