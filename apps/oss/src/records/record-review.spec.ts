import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Libsql from 'libsql';
import { openSqliteStore } from '#store-sqlite';
import { RecordingObserver, sampleOperation, sampleSchedule } from '#testing';
import { reviewRecords } from './record-review.js';

/** More than one page of a review. */
const COUNT = 450;
const LAST = String(COUNT - 1);
const DUE = Date.UTC(2026, 0, 1);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-review-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

it('finds the records whose time of their own was broken, which no loop comes to', async () => {
  const file = path.join(folder, 'tasks.db');
  const first = await openSqliteStore({ path: file });
  for (let n = 0; n < COUNT; n += 1) {
    await first.schedules.save(sampleSchedule(String(n), { dueAt: DUE, nextAt: DUE }), null);
    const order = sampleOperation(String(n), { createdAt: DUE - n, dueAt: DUE });
    await first.operations.addOperation(order);
  }
  await first.close();
  const db = new Libsql(file);
  db.exec(`UPDATE schedule SET due_at = 'soon' WHERE name = '${LAST}'`);
  db.exec(`UPDATE operation SET due_at = NULL WHERE id = '${LAST}'`);
  db.close();
  const observer = new RecordingObserver();
  const store = await openSqliteStore({ path: file, observer });
  try {
    expect(await store.schedules.findDue(DUE, COUNT)).toHaveLength(COUNT - 1);
    expect(await store.operations.findDueOperations(DUE, COUNT)).toHaveLength(COUNT - 1);
    expect(store.records.list()).toEqual([]);
    await reviewRecords(store);
    const found = store.records.list().map(({ id, kind, reason }) => [kind, id, reason]);
    const reason = 'due_at is not that of the record';
    expect(found).toEqual([
      ['schedule', LAST, reason],
      ['operation', LAST, reason],
    ]);
  } finally {
    await store.close();
  }
});
