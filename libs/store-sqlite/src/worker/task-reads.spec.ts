import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sampleTask } from '#testing';
import type { Cell, ListFilter, StoredSummaries } from '../protocol.js';
import { StepShelf } from '../plan-codec.js';
import { summariesOf } from '../summary-codec.js';
import { encodeInsert } from '../task-codec.js';
import type { Database } from './database.js';
import { openFile } from './open-file.js';
import { PRESENT, PresentStatuses, TaskReads } from './task-reads.js';
import { TaskWrites } from './task-writes.js';

const EVERYTHING: ListFilter = { limit: 3 };

const LONG = 100_000;

describe('a page as one text', () => {
  let folder: string;
  let db: Database;
  let reads: TaskReads;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-page-'));
    db = openFile(path.join(folder, 'a.db'));
    reads = new TaskReads(db);
  });
  beforeEach(() => db.execute('DELETE FROM task; DELETE FROM progress'));
  afterAll(async () => {
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  function insert(message: string | null): void {
    const task = { ...sampleTask(), message };
    new TaskWrites(db, reads).insert(encodeInsert(task, new StepShelf()).request);
  }

  function pageOf(filter: ListFilter = EVERYTHING): StoredSummaries | null {
    const answer = reads.listText(filter, LONG);
    return typeof answer === 'string' ? summariesOf(answer, filter.limit) : null;
  }

  it('says what its rows say one by one, page after page', () => {
    for (const message of [null, 'no "host"', null, 'so\n\u2028', null]) insert(message);
    const first = pageOf();
    expect(first?.summaries).toHaveLength(3);
    expect(first).toEqual(reads.list(EVERYTHING, LONG));
    const next = { ...EVERYTHING, beyond: first!.last! };
    expect(pageOf(next)?.summaries).toHaveLength(2);
    expect(pageOf(next)).toEqual(reads.list(next, LONG));
  });

  it('ends where there is nothing more', () => {
    for (let n = 0; n < 3; n += 1) insert(null);
    expect(pageOf()).toMatchObject({ last: null });
  });

  it('leaves out a row whose task is gone, and goes on behind it', () => {
    for (let n = 0; n < 4; n += 1) insert(null);
    db.execute('DELETE FROM task WHERE id = (SELECT max(id) FROM task)');
    expect(pageOf()?.summaries).toHaveLength(2);
    expect(pageOf()).toEqual(reads.list(EVERYTHING, LONG));
  });

  it('is none where a message is long: then the rows are read one by one', () => {
    insert('x'.repeat(2_000));
    expect(pageOf()).toBeNull();
  });

  it('is none where it would be longer than asked for', () => {
    insert(null);
    expect(reads.listText(EVERYTHING, 10)).toEqual(reads.list(EVERYTHING, 10));
  });

  it.each(['task SET head', 'progress SET flow', 'progress SET state'])(
    'is none where %s is no text, and its rows are listed',
    (column) => {
      for (let n = 0; n < 2; n += 1) insert(null);
      db.execute(`UPDATE ${column} = x'00ff'`);
      const answer = reads.listText(EVERYTHING, LONG);
      expect(answer).toEqual(reads.list(EVERYTHING, LONG));
      expect((answer as StoredSummaries).summaries).toHaveLength(2);
    },
  );
});

describe('the statuses that are there', () => {
  let folder: string;
  let db: Database;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-statuses-'));
    db = openFile(path.join(folder, 'a.db'));
  });

  afterEach(async () => {
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  function put(...statuses: readonly Cell[]): void {
    const insert = db.prepare(
      `INSERT INTO progress (revision, status, flow, created_at, state, journal)
       VALUES (1, ?, 'a', 1, '', '')`,
    );
    for (const status of statuses) insert.run([status]);
  }

  it('are none in an empty store', () => {
    expect(new PresentStatuses(db).read()).toEqual([]);
  });

  it('are told once each, as they are by now', () => {
    const present = new PresentStatuses(db);
    put(2, 0, 2, 8, 0);
    expect(present.read()).toEqual([0, 2, 8]);
    put(1);
    expect(present.read()).toEqual([0, 1, 2, 8]);
  });

  it('have among them what is none, so that it is seen', () => {
    put(-3, 2, 99, 'broken');
    expect(new PresentStatuses(db).read()).toEqual([-3, 2, 99, 'broken']);
  });

  it('are not told where more of them are none than there are statuses', () => {
    put(...Array.from({ length: 30 }, (_, n) => n));
    expect(new PresentStatuses(db).read()).toBeNull();
  });

  it('are found by searches of an index, and no walk', () => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${PRESENT}`).rows([]);
    const reads = plan
      .map(([, , , detail]) => String(detail))
      .filter((step) => {
        return step.includes(' progress');
      });
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads) expect(read).toMatch(/^SEARCH progress USING COVERING INDEX/);
  });
});
