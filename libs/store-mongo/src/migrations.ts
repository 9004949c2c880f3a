import type { Collection, Db, IndexDescription } from 'mongodb';
import { type Clock, RECORD_KINDS } from '#ports';
import { isIndexConflict, unlessDuplicate, UnsuitableServer } from './failure.js';
import { LIST_INDEXES, LIST_ORDER } from './list-query.js';
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
}

const INDEXED_KINDS = RECORD_KINDS.filter((kind) => Object.keys(kind.indexes).length > 0);

const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'the first form',
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
        { name: OWNER_INDEX, key: { owners: 1 }, sparse: true },
        {
          name: LIST_INDEXES.parent,
          key: { 'parent.taskId': 1, 'parent.run': 1, status: 1, 'parent.index': -1 },
          partialFilterExpression: { 'parent.taskId': { $exists: true } },
        },
        { name: CHANGE_INDEX, key: { changedAt: 1, _id: 1 }, sparse: true },
        {
          name: LIST_INDEXES.waits,
          key: { ...LIST_ORDER },
          partialFilterExpression: { waits: { $exists: true } },
        },
      ],
      [COLLECTIONS.flowVersions]: [{ name: 'by_name_version', key: { name: 1, version: -1 } }],
      [COLLECTIONS.executors]: [{ name: 'by_seen', key: { seenAt: 1 } }],
      ...Object.fromEntries(INDEXED_KINDS.map((kind) => [kind.plural, indexesOf(kind)])),
    },
  },
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
      await makeIndexes(db.collection(collection), indexes);
    }
    await record(db, migration, new Date(clock.now()));
  }
}

/** Throws `UnsuitableServer` where the collection has another index of such a name or keys. */
async function makeIndexes(
  collection: Collection,
  indexes: readonly IndexDescription[],
): Promise<void> {
  try {
    await collection.createIndexes([...indexes]);
  } catch (error) {
    if (!isIndexConflict(error)) throw error;
    const { collectionName: name, dbName } = collection;
    throw new UnsuitableServer(
      `The database ${dbName} has an index of ${name} that is not the store's: ${error.message}. ` +
        `Drop that index (db.${name}.dropIndex) and start again, which makes it as it must be.`,
    );
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
