import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { barrierContract, SystemClock } from '#testing';
import { IntentBarrier } from './intent-barrier.js';
import { openSqlite, type SqliteFile } from './sqlite/sqlite-file.js';
import { SqliteIntents } from './sqlite/sqlite-barrier.js';
import { BARRIER_TABLE } from './sqlite/sqlite-marks.js';

barrierContract('intents in SQLite', async () => {
  const clock = new SystemClock();
  const folder = mkdtempSync(path.join(tmpdir(), 'backstep-intents-'));
  const files: SqliteFile[] = [];
  const openBarrier = async () => {
    const file = path.join(folder, 'intents.db');
    files.push(await openSqlite({ clock, file, migrations: [BARRIER_TABLE] }));
    return new IntentBarrier(new SqliteIntents(files.at(-1) as SqliteFile, clock));
  };
  // Effects that bear repetition, as this barrier asks for.
  const effects = new Set<string>();
  const idOf = ({ taskId, run }: { taskId: string; run: string }) => `${taskId}/${run}`;
  return {
    barrier: await openBarrier(),
    apply: (_tx, context) => void effects.add(idOf(context)),
    revert: (_tx, context) => void effects.delete(idOf(context)),
    count: (context) => Promise.resolve(effects.has(idOf(context)) ? 1 : 0),
    openAnother: openBarrier,
    dispose: async () => {
      for (const opened of files) await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
});
