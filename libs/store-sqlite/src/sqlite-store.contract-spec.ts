import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe } from '@jest/globals';
import type { AuditLog, KeyStore, OperationStore } from '#ports';
import {
  auditLogContract,
  type AuditLogFixture,
  keyStoreContract,
  type KeyStoreFixture,
  operationStoreContract,
  type OperationStoreFixture,
  storeContract,
  type StoreFixture,
} from '#testing';
import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { storePlays } from '../../../test/fuzz/store-plays.js';
import { openSqliteStore } from './index.js';

storeContract('SQLite', open);
keyStoreContract('SQLite', openKeys);
auditLogContract('SQLite', async () => auditOf(await open()));
operationStoreContract('SQLite', async () => operationsOf(await open()));

describe('SQLite store', () => {
  storeKeeps(open, 25);
  storePlays(open, 40);
});

interface SqliteFixture extends StoreFixture {
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly operations: OperationStore;
  reopen(): Promise<SqliteFixture>;
}

async function open(): Promise<SqliteFixture> {
  return openFixture(await mkdtemp(path.join(tmpdir(), 'backstep-store-')));
}

async function openFixture(folder: string): Promise<SqliteFixture> {
  const store = await openSqliteStore({ path: path.join(folder, 'tasks.db') });
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
    keys: store.keys,
    audit: store.audit,
    operations: store.operations,
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

async function openKeys(): Promise<KeyStoreFixture> {
  return keysOf(await open());
}

function keysOf(fixture: SqliteFixture): KeyStoreFixture {
  return {
    keys: fixture.keys,
    reopen: async () => keysOf(await fixture.reopen()),
    dispose: () => fixture.dispose(),
  };
}

function operationsOf({ dispose, operations, reopen }: SqliteFixture): OperationStoreFixture {
  return { operations, dispose, reopen: async () => operationsOf(await reopen()) };
}

function auditOf({ audit, dispose, reopen }: SqliteFixture): AuditLogFixture {
  return { audit, dispose, reopen: async () => auditOf(await reopen()) };
}
