import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RecordKind } from '#ports';
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

const byId = (id: string): string => `id = '${id}'`;
const byName = (id: string): string => `name = '${id}'`;

const PLACES: Partial<Readonly<Record<RecordKind, Place>>> = {
  schedule: { table: 'schedule', text: 'record', key: byName },
  notification: { table: 'notification', text: 'record', key: byName },
  delivery: { table: 'delivery', text: 'record', key: byId },
  operation: { table: 'operation', text: 'record', key: byId },
  key: { table: 'access_key', text: 'record', key: byId },
  audit_entry: { table: 'audit', text: 'entry', key: (id) => `seq = ${id}` },
  flow: { table: 'flow', text: 'definition', key: (id) => byName(id.split('@')[0]!) },
  statistics: {
    table: 'statistics',
    text: 'record',
    key: (id) => `owner = '${id.split(' ')[2]}'`,
  },
  drill: { table: 'drill', text: 'total', key: (id) => byName(id.split('@')[0]!) },
  command: {
    table: 'command',
    text: 'defaults',
    key: (id) => `command = '${(JSON.parse(id) as string[])[1]}'`,
  },
};

const LOCKS: Place = { table: 'lock_line', text: 'slots', key: byName };

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

/** Cells of their own, or a text that may be any object. */
function ownSet({ kind, way }: BreakOrder): string | null {
  if (way === 'another version beside it') return "tag = 'x 1'";
  if (way === 'another due time beside it') return "due_at = 'soon'";
  if (kind === 'drill') return "total = 'many'";
  if (kind === 'lock') return "slots = 'many'";
  if (kind === 'command' && way === 'member of a wrong type') return "defaults = '[7]'";
  return null;
}

function waysOf(kind: RecordKind): readonly Breakage[] {
  if (kind === 'notification') return [...ALL, 'another version beside it'];
  if (kind === 'schedule')
    return [...ALL, 'another version beside it', 'another due time beside it'];
  if (kind === 'operation' || kind === 'delivery') return [...ALL, 'another due time beside it'];
  if (kind === 'drill' || kind === 'lock') return ['member of a wrong type'];
  return kind === 'command' ? ['text that is not JSON', 'member of a wrong type'] : ALL;
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
    records: store.records,
    observer,
    waysOf,
    async breakAll(orders) {
      await store.close();
      const db = new Database(file);
      for (const order of orders) {
        const { key, table, text } = PLACES[order.kind] ?? LOCKS;
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
  const { audit, definitions, deliveries, keys, locks } = store;
  const { drills, notifications, operations, schedules, statistics } = store;
  const lists = { audit, definitions, deliveries, keys, locks };
  return { ...lists, drills, notifications, operations, schedules, statistics, flows: store };
}
