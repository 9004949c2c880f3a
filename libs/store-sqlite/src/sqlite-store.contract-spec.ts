import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe } from '@jest/globals';
import type { AuditLog } from '#ports';
import { auditLogContract, type AuditLogFixture, storeContract, type StoreFixture } from '#testing';
import { storeKeeps } from '../../../test/fuzz/store-keeps.js';
import { storePlays } from '../../../test/fuzz/store-plays.js';
import { openSqliteStore } from './index.js';

storeContract('SQLite', open);
auditLogContract('SQLite', async () => auditOf(await open()));

describe('SQLite store', () => {
  storeKeeps(open, 25);
  storePlays(open, 40);
});

interface SqliteFixture extends StoreFixture {
  readonly audit: AuditLog;
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
    executors: store,
    sessions: store,
    started: store,
    children: store.children,
    locks: store.locks,
    records: store.records,
    finals: store.finals,
    changes: store.changes,
    audit: store.audit,
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

function auditOf({ audit, dispose, reopen }: SqliteFixture): AuditLogFixture {
  return { audit, dispose, reopen: async () => auditOf(await reopen()) };
}
