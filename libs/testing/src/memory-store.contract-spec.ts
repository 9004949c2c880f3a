import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { auditLogContract, type AuditLogFixture } from './contracts/audit-log.js';
import { keyStoreContract, type KeyStoreFixture } from './contracts/key-store.js';
import { operationStoreContract, type OperationStoreFixture } from './contracts/operation-store.js';
import { storeContract } from './contracts/store-contract.js';
import type { StoreFixture } from './contracts/store-fixture.js';
import { MemoryStore } from './memory-store.js';

function fixture(store: MemoryStore): StoreFixture {
  return {
    tasks: store,
    flows: store,
    definitions: store.definitions,
    drills: store.drills,
    statistics: store.statistics,
    executors: store,
    sessions: store,
    started: store,
    children: store.children,
    locks: store.locks,
    schedules: store.schedules,
    finals: store.finals,
    changes: store.changes,
    notifications: store.notifications,
    deliveries: store.deliveries,
    reopen: async () => {
      await store.close();
      return fixture(new MemoryStore(store.contents));
    },
    dispose: () => store.close(),
  };
}

function keysOf(store: MemoryStore): KeyStoreFixture {
  return {
    keys: store.keys,
    reopen: async () => keysOf(new MemoryStore(store.contents)),
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

function operationsOf(store: MemoryStore): OperationStoreFixture {
  return {
    operations: store.operations,
    reopen: async () => operationsOf(new MemoryStore(store.contents)),
    dispose: () => store.close(),
  };
}

auditLogContract('memory', async () => auditOf(new MemoryStore()));
storeContract('memory', async () => fixture(new MemoryStore()));
storeKeeps(async () => fixture(new MemoryStore()), 25);
operationStoreContract('memory', async () => operationsOf(new MemoryStore()));
keyStoreContract('memory', async () => keysOf(new MemoryStore()));
