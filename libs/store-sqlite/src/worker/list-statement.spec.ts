import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListFilter } from '../protocol.js';
import type { Database } from './database.js';
import { listStatement } from './list-statement.js';
import { openFile } from './open-file.js';

const EVERYTHING: ListFilter = { limit: 20 };

describe('a list', () => {
  let folder: string;
  let db: Database;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-list-'));
    db = openFile(path.join(folder, 'a.db'));
  });

  afterAll(async () => {
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each<[string, Partial<ListFilter>, string]>([
    ['everything', {}, 'progress_by_status (status=?)'],
    ['a later page', { beyond: [5, 6] }, 'progress_by_status (status=? AND created_at<?)'],
    ['a time', { createdAfter: 5 }, 'progress_by_status (status=? AND created_at>?)'],
    ['statuses', { statuses: [1, 2] }, 'progress_by_status (status=?)'],
    ['a flow', { flows: ['a'], statuses: [0, 1] }, 'progress_by_flow (flow=? AND status=?)'],
  ])('of %s walks an index in its order', (_, filter, index) => {
    const steps = stepsOf({ ...EVERYTHING, ...filter });
    const reads = steps.filter((step) => {
      // Rows with a status outside of the table are nearly none, and are put in order by hand.
      return /(SCAN|SEARCH) progress/.test(step) && !/status[<>]/.test(step);
    });
    expect(reads).not.toEqual([]);
    for (const read of reads) expect(read).toContain(`USING COVERING INDEX ${index}`);
  });

  it('of a label walks its tasks in their order, whatever is asked besides', () => {
    const labels = [['a', 'b'] as const, ['c', 'd'] as const];
    const steps = stepsOf({ ...EVERYTHING, labels, flows: ['x'], statuses: [1], beyond: [5, 6] });
    expect(steps[0]).toMatch(/^SEARCH l USING PRIMARY KEY \(key=\? AND value=\?/);
    expect(steps.join()).not.toContain('TEMP B-TREE');
  });

  it('of the request that tasks were made for walks them in their order', () => {
    const more = { labels: [['a', 'b']], flows: ['x'], statuses: [1], beyond: [5, 6] } as const;
    const origin = [['client', '::1'] as const, ['operator', 'ann'] as const];
    for (const filter of [{}, more]) {
      const steps = stepsOf({ ...EVERYTHING, ...filter, origin });
      const reads = steps.filter((step) => /(SCAN|SEARCH) progress/.test(step));
      expect(reads).toEqual([expect.stringMatching(/INDEX progress_by_client \(client=\?/)]);
      expect(steps.join()).not.toContain('TEMP B-TREE');
    }
  });

  it('of those that wait for a person walks them alone, whatever is asked besides', () => {
    const origin = [['operator', 'ann']] as const;
    const labels = [['a', 'b']] as const;
    const more = { labels, flows: ['x'], statuses: [1], parent: 'p', origin } as const;
    for (const filter of [{}, more, { beyond: [5, 6], createdAfter: 3 } as const]) {
      const steps = stepsOf({ ...EVERYTHING, ...filter, waits: true });
      const reads = steps.filter((step) => /(SCAN|SEARCH) progress/.test(step));
      expect(reads).toHaveLength(1);
      expect(reads[0]).toMatch(/USING (COVERING )?INDEX progress_by_waits/);
      expect(steps.join()).not.toContain('TEMP B-TREE');
    }
  });

  it('of the beginning of an id looks at these ids alone, whatever is asked besides', () => {
    const origin = [['operator', 'ann']] as const;
    const more = { labels: [['a', 'b']], flows: ['x'], statuses: [1], origin } as const;
    for (const filter of [{}, more, { beyond: [5, 6], createdAfter: 3 } as const]) {
      const steps = stepsOf({ ...EVERYTHING, ...filter, idPrefix: '01a2' });
      const reads = steps.filter((step) => /(SCAN|SEARCH) (progress|task)/.test(step));
      expect(reads).toEqual([
        'SEARCH progress USING INTEGER PRIMARY KEY (rowid=?)',
        expect.stringMatching(/^SEARCH task USING COVERING INDEX .*task_id>\? AND task_id<\?/),
      ]);
    }
  });

  it('of no status is empty without a look at any table', () => {
    expect(stepsOf({ ...EVERYTHING, statuses: [] }).join()).not.toContain('progress');
  });

  function stepsOf(filter: ListFilter): string[] {
    const { sql, parameters } = listStatement(filter);
    return db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .rows(parameters)
      .map(([, , , detail]) => String(detail));
  }
});
