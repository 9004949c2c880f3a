import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RECORD_KINDS } from '#ports';
import {
  type BreakableRecords,
  type Breakage,
  type BreakOrder,
  RecordingObserver,
  unreadableRecordsContract,
} from '#testing';
import { openSqliteStore, type SqliteStore } from './index.js';
import { Database } from './worker/database.js';

/** Where the text of a record is, and what its row is found by. */
interface Place {
  readonly table: string;
  readonly text: string;
  readonly key: (id: string) => string;
}

const byName = (id: string): string => `name = '${id}'`;

const PLACES: Readonly<Record<string, Place>> = {
  audit_entry: { table: 'audit', text: 'entry', key: (id) => `seq = ${id}` },
  flow: { table: 'flow', text: 'definition', key: (id) => byName(id.split('@')[0]!) },
  lock: { table: 'lock_line', text: 'slots', key: byName },
};

function placeOf(kind: string): Place {
  const key = (id: string): string => `kind = '${kind}' AND id = '${id.replaceAll("'", "''")}'`;
  return PLACES[kind] ?? { table: 'record', text: 'text', key };
}

const ALL: readonly Breakage[] = [
  'text that is not JSON',
  'member of a wrong type',
  'missing member',
  'newer format',
];

function setOf(text: string, { member, way }: BreakOrder): string {
  switch (way) {
    case 'text that is not JSON':
      return `${text} = '{"größe":'`;
    case 'member of a wrong type':
      return `${text} = json_set(${text}, '$.${member}', json('[7]'))`;
    case 'missing member':
      return `${text} = json_remove(${text}, '$.${member}')`;
    default:
      return `${text} = json_set(${text}, '$.v', 2)`;
  }
}

/** Cells of their own. */
function ownSet({ kind, way }: BreakOrder): string | null {
  if (way === 'another version beside it') return "tag = 'x 1'";
  if (way === 'another place beside it') return "at_1 = 'soon'";
  return kind === 'lock' ? "slots = 'many'" : null;
}

function waysOf(name: string): readonly Breakage[] {
  if (name === 'lock') return ['member of a wrong type'];
  const kind = RECORD_KINDS.find((one) => one.name === name);
  if (kind === undefined) return ALL;
  const isListed = Object.keys(kind.indexes).length > 0;
  const place = isListed ? (['another place beside it'] as const) : [];
  return [...ALL, 'another version beside it', ...place];
}

unreadableRecordsContract('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-broken-'));
  return open(path.join(folder, 'tasks.db'));
});

/** The file is ours alone, so it is broken while it is closed. */
async function open(file: string): Promise<BreakableRecords> {
  const observer = new RecordingObserver();
  const store = await openSqliteStore({ path: file, observer });
  return {
    ports: portsOf(store),
    unreadable: store.unreadable,
    observer,
    waysOf,
    async breakAll(orders) {
      await store.close();
      const db = new Database(file);
      for (const order of orders) {
        const { key, table, text } = placeOf(order.kind);
        const set = ownSet(order) ?? setOf(text, order);
        db.execute(`UPDATE ${table} SET ${set} WHERE ${key(order.id)}`);
      }
      db.close();
      return open(file);
    },
    async dispose() {
      await store.close();
      await rm(path.dirname(file), { recursive: true, force: true });
    },
  };
}

function portsOf(store: SqliteStore): BreakableRecords['ports'] {
  const { audit, definitions, locks, records } = store;
  return { audit, definitions, locks, records, flows: store };
}
