import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RecordsAsked } from '../protocol.js';
import { Database } from './database.js';
import { migrate } from './migrations.js';
import { selection } from './record-statements.js';

let folder: string;
let db: Database;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-records-'));
  db = new Database(path.join(folder, 'a.db'));
  migrate(db);
});

afterEach(async () => {
  db.close();
  await rm(folder, { recursive: true, force: true });
});

/** How SQLite goes about a list. */
function planOf(more: Partial<RecordsAsked>): string {
  const nothing = { from: undefined, upTo: undefined, after: undefined };
  const page = { of: '[]', isDescending: false, limit: 5, skip: 0 };
  const asked = { kind: 'k', index: 1, ...nothing, ...page, ...more };
  const { parameters, sql } = selection('id, text', asked);
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).rows(parameters);
  return steps.map(([, , , detail]) => String(detail)).join('; ');
}

it.each([1, 2, 3, 4])('a list by index %i comes from it, in its order', (index) => {
  const after = { at: 5, id: 'a' };
  const all = [{}, { upTo: 5 }, { isDescending: true }, { after }, { isDescending: true, after }];
  for (const more of all) {
    const plan = planOf({ index, ...more });
    expect(plan).toMatch(new RegExp(`^SEARCH record USING (COVERING )?INDEX record_by_${index} `));
    expect(plan).not.toContain('TEMP B-TREE');
  }
  const several = planOf({ index, of: ['["a"]', '["b"]'] });
  expect(several).toContain(`INDEX record_by_${index} (kind=? AND of_${index}=?`);
});

it('a list by ids goes through one kind alone, in their order', () => {
  expect(planOf({ index: 0 })).toBe('SEARCH record USING PRIMARY KEY (kind=?)');
  const behind = planOf({ index: 0, after: { at: 0, id: 'a' } });
  expect(behind).toBe('SEARCH record USING PRIMARY KEY (kind=? AND id>?)');
});
