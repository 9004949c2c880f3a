import type { Collection, Db, IndexDescription } from 'mongodb';
import { type Clock, RECORD_KINDS } from '#ports';
import { unlessDuplicate, UnsuitableServer } from './failure.js';
import { LIST_INDEXES, LIST_ORDER } from './list-query.js';
import type { KeyDocument } from './key-records.js';
import { indexesOf } from './mongo-records.js';

/** Names of the collections. */
export const COLLECTIONS = {
  tasks: 'tasks',
  keys: 'idempotency_keys',
  flowVersions: 'flow_versions',
  executors: 'executors',
  sessions: 'sessions',
  audit: 'audit',
  locks: 'locks',
  migrations: 'schema_migrations',
} as const;

/** Names of all collections: beside the others, each kind of record has one. */
export const ALL_COLLECTIONS: readonly string[] = [
  ...Object.values(COLLECTIONS),
  ...RECORD_KINDS.map(({ plural }) => plural),
];

/** Index of what sessions hold; tasks without a running action are not in it. */
export const OWNER_INDEX = LIST_INDEXES.owner;

/** Index of due tasks; it holds live tasks only. */
export const WAKE_INDEX = 'by_wake';

/** Index of the latest notable changes of tasks; what it is asked for is in it. */
export const CHANGE_INDEX = 'by_change';

/** One change of the database's shape. Numbers grow, and a published one never changes. */
interface Migration {
  readonly version: number;
  readonly name: string;
  readonly indexes: Readonly<Record<string, readonly IndexDescription[]>>;
  /** A change that is made once, besides. */
  readonly once?: (db: Db) => Promise<void>;
}

const INDEXED_KINDS = RECORD_KINDS.filter((kind) => Object.keys(kind.indexes).length > 0);

const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'tasks, flow versions and executors',
    indexes: {
      [COLLECTIONS.tasks]: [
        { name: WAKE_INDEX, key: { wakeAt: 1, _id: 1 }, sparse: true },
        { name: LIST_INDEXES.time, key: { ...LIST_ORDER } },
        { name: LIST_INDEXES.flow, key: { flow: 1, ...LIST_ORDER } },
        { name: LIST_INDEXES.status, key: { status: 1, ...LIST_ORDER } },
        { name: LIST_INDEXES.flowStatus, key: { flow: 1, status: 1, ...LIST_ORDER } },
        {
          name: LIST_INDEXES.label,
          key: { labels: 1, ...LIST_ORDER },
          partialFilterExpression: { labels: { $exists: true } },
        },
      ],
      [COLLECTIONS.flowVersions]: [{ name: 'by_name_version', key: { name: 1, version: -1 } }],
      [COLLECTIONS.executors]: [{ name: 'by_seen', key: { seenAt: 1 } }],
    },
  },
  {
    version: 2,
    name: 'sessions',
    indexes: {
      [COLLECTIONS.tasks]: [{ name: OWNER_INDEX, key: { owners: 1 }, sparse: true }],
    },
  },
  {
    version: 3,
    name: 'child tasks',
    indexes: {
      [COLLECTIONS.tasks]: [
        {
          name: LIST_INDEXES.parent,
          key: { 'parent.taskId': 1, 'parent.run': 1, status: 1, 'parent.index': -1 },
          partialFilterExpression: { 'parent.taskId': { $exists: true } },
        },
      ],
    },
  },
  {
    version: 4,
    name: 'changes of tasks',
    indexes: {
      [COLLECTIONS.tasks]: [{ name: CHANGE_INDEX, key: { changedAt: 1, _id: 1 }, sparse: true }],
    },
  },
  {
    version: 5,
    name: 'tasks that wait for a person',
    indexes: {
      [COLLECTIONS.tasks]: [
        {
          name: LIST_INDEXES.waits,
          key: { ...LIST_ORDER },
          partialFilterExpression: { waits: { $exists: true } },
        },
      ],
    },
  },
  {
    version: 6,
    name: 'records',
    indexes: Object.fromEntries(INDEXED_KINDS.map((kind) => [kind.plural, indexesOf(kind)])),
  },
  { version: 7, name: 'no unique index but on ids', indexes: {}, once: keepKeysApart },
];

/** All indexes that a store needs, by collection. */
export const INDEXES: ReadonlyMap<string, readonly IndexDescription[]> = MIGRATIONS.reduce(
  (all, { indexes }) => {
    for (const [collection, more] of Object.entries(indexes)) {
      all.set(collection, [...(all.get(collection) ?? []), ...more]);
    }
    return all;
  },
  new Map<string, readonly IndexDescription[]>(),
);

/**
 * Brings the database into the shape that the store needs. Safe in any number of processes at
 * once: each step is harmless when done twice. Indexes are asked for at every start, because a
 * person may have dropped one.
 */
export async function migrate(db: Db, clock: Clock): Promise<void> {
  await expectOwnDatabase(db);
  for (const migration of MIGRATIONS) {
    for (const [collection, indexes] of Object.entries(migration.indexes)) {
      await db.collection(collection).createIndexes([...indexes]);
    }
    if (migration.once !== undefined && !(await isApplied(db, migration))) await migration.once(db);
    await record(db, migration, new Date(clock.now()));
  }
}

/**
 * Throws `UnsuitableServer` where another program has documents under names of the store.
 * Migrations are looked for last: a process that makes the store now records one before any
 * document.
 */
async function expectOwnDatabase(db: Db): Promise<void> {
  const isThere = async (name: string): Promise<boolean> =>
    (await db.collection(name).findOne({})) !== null;
  if (await isThere(COLLECTIONS.migrations)) return;
  for (const name of ALL_COLLECTIONS) {
    if (!(await isThere(name)) || (await isThere(COLLECTIONS.migrations))) continue;
    throw new UnsuitableServer(
      `The database ${db.databaseName} is of another program: it has documents in ${name}, and ` +
        'was never made a store. Name another database in BACKSTEP_STORE.',
    );
  }
}

/** Gives idempotency keys documents of their own, and drops the unique indexes. */
async function keepKeysApart(db: Db): Promise<void> {
  const keys = db.collection<KeyDocument>(COLLECTIONS.keys);
  type Keyed = { readonly _id: string; readonly idempotencyKey: string };
  const tasks = db.collection<Keyed>(COLLECTIONS.tasks);
  const projection = { idempotencyKey: 1 };
  for await (const found of tasks.find({ idempotencyKey: { $exists: true } }, { projection })) {
    const key = { _id: found.idempotencyKey, taskId: found._id };
    await keys.insertOne(key).catch(unlessDuplicate);
  }
  await dropIndex(db, COLLECTIONS.tasks, 'by_idempotency_key');
  await dropIndex(db, COLLECTIONS.flowVersions, 'by_name');
}

async function dropIndex(db: Db, collection: string, name: string): Promise<void> {
  const indexes = await db.collection(collection).indexes();
  if (indexes.some((index) => index.name === name)) await db.collection(collection).dropIndex(name);
}

interface MigrationRecord {
  readonly _id: number;
  readonly name: string;
  readonly appliedAt: Date;
}

function recordsOf(db: Db): Collection<MigrationRecord> {
  return db.collection<MigrationRecord>(COLLECTIONS.migrations);
}

async function isApplied(db: Db, { version }: Migration): Promise<boolean> {
  return (await recordsOf(db).findOne({ _id: version })) !== null;
}

async function record(db: Db, migration: Migration, appliedAt: Date): Promise<void> {
  if (await isApplied(db, migration)) return;
  const { version, name } = migration;
  await recordsOf(db).insertOne({ _id: version, name, appliedAt }).catch(unlessDuplicate);
}
