import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Libsql from 'libsql';
import { OPERATION, SCHEDULE } from '#ports';
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
    const schedule = sampleSchedule(String(n), { dueAt: DUE, nextAt: DUE });
    await first.records.put(SCHEDULE, schedule, null);
    const order = sampleOperation(String(n), { createdAt: DUE - n, dueAt: DUE });
    await first.records.put(OPERATION, order, null);
  }
  await first.close();
  const db = new Libsql(file);
  db.exec(`UPDATE record SET at_1 = 'soon' WHERE kind = 'schedule' AND id = '${LAST}'`);
  db.exec(`UPDATE record SET at_1 = NULL WHERE kind = 'operation' AND id = '${LAST}'`);
  db.close();
  const observer = new RecordingObserver();
  const store = await openSqliteStore({ path: file, observer });
  try {
    const due = { index: 'due', upTo: DUE, limit: COUNT };
    expect(await store.records.list(SCHEDULE, due)).toHaveLength(COUNT - 1);
    expect(await store.records.list(OPERATION, due)).toHaveLength(COUNT - 1);
    expect(store.unreadable.list()).toEqual([]);
    await reviewRecords(store.records);
    const found = store.unreadable.list().map(({ id, kind, reason }) => [kind, id, reason]);
    const reason = 'its place in lists is not that of the record';
    expect(found).toEqual([
      ['operation', LAST, reason],
      ['schedule', LAST, reason],
    ]);
  } finally {
    await store.close();
  }
});
