import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MarkableStore, type MarkedParts, writesContract } from '#testing';
import { openSqliteStore } from './index.js';
import { PLACE, PLACES } from './places.js';
import { Database } from './worker/database.js';

/** White space after a text means nothing to a reader. */
const MARK = ' ';

writesContract(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-writes-'));
  return open(path.join(folder, 'tasks.db'));
});

/** Runs and scopes: a journal is only ever added to. */
const MARKABLE =
  `(id % ${PLACES} BETWEEN ${PLACE.runs} AND ${PLACE.journal - 1}) ` +
  `OR id % ${PLACES} >= ${PLACE.scope}`;
const MARKED = `SELECT id % ${PLACES} FROM beside WHERE text LIKE '%${MARK}' ORDER BY id`;
let copies = 0;

/** The file is ours alone, so it is looked into while it is closed. */
async function open(file: string): Promise<MarkableStore> {
  const tasks = await openSqliteStore({ path: file });
  return {
    tasks,
    async mark() {
      await tasks.close();
      const db = new Database(file);
      db.execute(`UPDATE beside SET text = text || '${MARK}' WHERE ${MARKABLE}`);
      db.close();
      return open(file);
    },
    async marked() {
      await tasks.close();
      // A prepared statement would keep the file in use until it is collected.
      const copy = `${file}.${(copies += 1)}`;
      await copyFile(file, copy);
      const rows = new Database(copy).prepare(MARKED).rows([]);
      return [partsAt(rows.map(([place]) => Number(place))), await open(file)] as const;
    },
    async dispose() {
      await tasks.close();
      await rm(path.dirname(file), { recursive: true, force: true });
    },
  };
}

function partsAt(places: readonly number[]): MarkedParts {
  const scopes = places.filter((place) => place >= PLACE.scope).map((place) => place - PLACE.scope);
  const runs = places.filter((place) => place >= PLACE.runs && place < PLACE.journal).length;
  return { scopes, runs };
}
