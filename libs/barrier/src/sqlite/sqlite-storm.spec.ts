import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import * as fc from 'fast-check';
import { playStorm, SystemClock } from '#testing';
import { SqliteBarrier } from './sqlite-barrier.js';
import { openSqlite, type SqliteFile } from './sqlite-file.js';
import { BARRIER_TABLE } from './sqlite-marks.js';
import type { SqliteTx } from './sqlite-tx.js';

const EFFECTS = 'CREATE TABLE effects (id TEXT PRIMARY KEY, n INTEGER NOT NULL)';
const ADD = 'INSERT INTO effects VALUES (?1, ?2) ON CONFLICT DO UPDATE SET n = n + ?2';
const DIES = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constant(99));

describe('the barrier on SQLite in a storm', () => {
  const clock = new SystemClock();
  const folder = mkdtempSync(path.join(tmpdir(), 'backstep-storm-'));
  let files: SqliteFile[];
  let tasks = 0;

  beforeAll(async () => {
    const file = path.join(folder, 'effects.db');
    const open = () => openSqlite({ clock, file, migrations: [BARRIER_TABLE, EFFECTS] });
    files = [await open(), await open()];
  });

  afterAll(async () => {
    for (const file of files) await file.close();
    rmSync(folder, { recursive: true });
  });

  const barrierOf = (token: number) => new SqliteBarrier(files[token % 2] as SqliteFile, clock);
  const countOf = (id: string) => {
    const sql = 'SELECT n FROM effects WHERE id = ?';
    return files[0]?.read((tx) => tx.get<{ n: number }>(sql, id))?.n ?? 0;
  };

  it('leaves one effect after success and none after a rollback', async () => {
    const plan = fc.record({
      forwards: fc.array(DIES, { maxLength: 4 }),
      rollbacks: fc.option(fc.array(DIES, { maxLength: 3 })),
      choices: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
    });
    const property = fc.asyncProperty(plan, async (storm) => {
      const taskId = `t${(tasks += 1)}`;
      const add = (tx: SqliteTx, n: number) => void tx.run(ADD, taskId, n);
      const attempt = (fencingToken: number) => ({ taskId, run: 's', fencingToken });
      await playStorm(
        {
          forward: async (token, gate) => {
            const effect = (tx: SqliteTx) => {
              add(tx, 1);
              return null;
            };
            await gate();
            await barrierOf(token).forward(attempt(token), effect);
            await gate();
          },
          rollback: async (token, gate) => {
            await gate();
            await barrierOf(token).rollback(attempt(token), (tx) => add(tx, -1));
            await gate();
          },
          count: () => Promise.resolve(countOf(taskId)),
        },
        storm,
      );
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
