import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { barrierContract, SystemClock } from '#testing';
import { SqliteBarrier } from './sqlite-barrier.js';
import { openSqlite, type SqliteFile } from './sqlite-file.js';
import { BARRIER_TABLE } from './sqlite-marks.js';
import type { SqliteTx } from './sqlite-tx.js';

const EFFECTS = 'CREATE TABLE effects (id TEXT PRIMARY KEY, n INTEGER NOT NULL)';

barrierContract('SQLite', async () => {
  const clock = new SystemClock();
  const folder = mkdtempSync(path.join(tmpdir(), 'backstep-barrier-'));
  const files: SqliteFile[] = [];
  const open = async () => {
    const file = path.join(folder, 'effects.db');
    const opened = await openSqlite({ clock, file, migrations: [BARRIER_TABLE, EFFECTS] });
    files.push(opened);
    return opened;
  };
  const file = await open();
  const add = (tx: SqliteTx, id: string, n: number) => {
    tx.run('INSERT INTO effects VALUES (?, ?) ON CONFLICT DO UPDATE SET n = n + ?', id, n, n);
  };
  const idOf = ({ taskId, run }: { taskId: string; run: string }) => `${taskId}/${run}`;
  return {
    barrier: new SqliteBarrier(file, clock),
    apply: (tx, context) => add(tx, idOf(context), 1),
    revert: (tx, context) => add(tx, idOf(context), -1),
    count: async (context) => {
      const sql = 'SELECT n FROM effects WHERE id = ?';
      return file.read((tx) => tx.get<{ n: number }>(sql, idOf(context)))?.n ?? 0;
    },
    openAnother: async () => new SqliteBarrier(await open(), clock),
    dispose: async () => {
      for (const opened of files) await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
});
