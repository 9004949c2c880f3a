import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BreakableStore, RecordingObserver, unreadableContract } from '#testing';
import { openSqliteStore } from './index.js';
import { PLACE, PLACES } from './places.js';
import { Database } from './worker/database.js';

/** Ways to break a row: what is set in which table; empty: the row is gone. */
const WAYS: Readonly<
  Record<string, readonly [table: 'task' | 'progress' | 'beside', set: string, place?: number]>
> = {
  'plan that is not JSON': ['task', "plan = '{'"],
  'plan without members': ['task', "plan = '[1]'"],
  'parameters that are a number': ['task', "plan = json_set(plan, '$[6]', 7)"],
  'plan of a newer format': ['task', "plan = json_set(plan, '$[1]', 2)"],
  'steps that are not there': ['task', "steps_key = 'nowhere'"],
  'state that is cut': ['progress', "state = '[[4,'"],
  'state of a newer format': ['progress', "state = replace(state, '[[4,', '[[5,')"],
  'state name that is unknown': ['progress', "state = json_set(state, '$[1][1][1]', 'dreams')"],
  'running without a lease': ['progress', "state = json_set(state, '$[1][1][1]', 2)"],
  'fewer runs than steps': ['progress', "state = json_remove(state, '$[2]')"],
  'journal that is not JSON': ['progress', "journal = 'x,'"],
  'status that its fields do not make': ['progress', 'status = 3'],
  'status that is unknown': ['progress', 'status = 42'],
  'revision that is a text': ['progress', "revision = 'new'"],
  'long: runs that are not JSON': ['beside', "text = '['", PLACE.runs],
  'long: fewer runs than a chunk has': ['beside', "text = '[0]'", PLACE.runs + 1],
  'long: runs that are bytes': ['beside', "text = x'5b5d'", PLACE.runs + 2],
  'long: runs that are not there': ['beside', 'id = -id', PLACE.runs],
  'long: an output that is not there': ['beside', 'id = -id', 3],
  'long: an output that is not JSON': ['beside', "text = '{'", 3],
  'long: a journal that is not JSON': ['beside', "text = 'x,'", PLACE.journal],
  'long: a journal that is not there': ['beside', 'id = -id', PLACE.journal],
  'long: runs in the row that are cut': ['progress', "state = json_remove(state, '$[1]')"],
  'long: more runs than there are': ['progress', "state = json_set(state, '$[0][5][3]', 900)"],
  'long: more of a journal than there is': [
    'progress',
    "state = json_set(state, '$[0][5][2]', 1000000000)",
  ],
  'no progress at all': ['progress', ''],
  'live without a wake-up': ['progress', 'wake_at = NULL, wake_slot = NULL'],
};

unreadableContract(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-broken-'));
  return open(path.join(folder, 'tasks.db'));
}, Object.keys(WAYS));

/** The file is ours alone, so it is broken and mended while it is closed. */
async function open(file: string, isSaved = false): Promise<BreakableStore> {
  const observer = new RecordingObserver();
  const tasks = await openSqliteStore({ path: file, observer });
  return {
    tasks,
    observer,
    async breakTask(taskId, way) {
      await tasks.close();
      if (!isSaved) await copyFile(file, `${file}.sound`);
      const [table, set, place] = WAYS[way]!;
      const which =
        taskId === '*'
          ? "SELECT task FROM label WHERE key = 'crowd'"
          : `SELECT id FROM task WHERE task_id = '${taskId}'`;
      const db = new Database(file);
      // A prepared statement would keep the file in use until it is collected.
      const rows = place === undefined ? which : `SELECT id * ${PLACES} + ${place} FROM (${which})`;
      const act = set === '' ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${set}`;
      db.execute(`${act} WHERE id IN (${rows})`);
      db.close();
      return open(file, true);
    },
    async mend() {
      await tasks.close();
      await copyFile(`${file}.sound`, file);
      return open(file);
    },
    async dispose() {
      await tasks.close();
      await rm(path.dirname(file), { recursive: true, force: true });
    },
  };
}
