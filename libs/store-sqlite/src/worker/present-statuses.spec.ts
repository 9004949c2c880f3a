import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Cell } from '../protocol.js';
import type { Database } from './database.js';
import { openFile } from './open-file.js';
import { PRESENT, PresentStatuses } from './present-statuses.js';

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
