import type { Db, MongoClient } from 'mongodb';
import { RecordReader, sharedSecret, STORE_ID } from '#ports';
import { ClockWatch } from './clock/clock-watch.js';
import { measureOffset, onNewPrimary, serverTimeOf } from './clock/server-time.js';
import { ServerClock } from './clock/server-clock.js';
import { PROOF_MS, refuseOldServer, starterClient, storeClient } from './connection.js';
import { DatabaseLook } from './database-look.js';
import { within } from './deadline.js';
import { ExecutorRecords, type ExecutorDocument } from './executor-records.js';
import { COLLECTIONS, migrate } from './migrations.js';
import { MongoRecords } from './mongo-records.js';
import { MongoStore } from './mongo-store.js';
import { settingsOf, type MongoStoreOptions, type Settings } from './options.js';
import { Secret } from './secret.js';
import { ServerCalls } from './server-calls.js';
import { proveServer, scratchOn } from './server-proof.js';
import { StoreWatch } from './store-watch.js';

/** Longest wait for an index to be built at start, in milliseconds. */
const MIGRATION_MS = 600_000;

/** Longest wait for the driver to let go of its sockets, in milliseconds. */
const DISCONNECT_MS = 2_000;

/**
 * Opens the store. Throws `UnsuitableServer` where the URL or the server cannot keep what the store
 * promises, and `StoreUnavailable` where the server does not answer.
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<MongoStore> {
  const settings = settingsOf(options);
  const calls = new ServerCalls(settings);
  const { clock: machine, observer } = settings;
  const clock = await usingClient(settings, (client) => prepare(client, calls));
  const client = storeClient(settings);
  const watch = new ClockWatch({ clock, machine, observer, read: serverTimeOf(client, calls) });
  onNewPrimary(client, () => watch.hurry());
  const storeWatch = await watchStore(client, calls).catch(async (error: unknown) => {
    watch.stop();
    await client.close(true);
    throw error;
  });
  const store = new MongoStore(client, calls, watch, storeWatch);
  try {
    const executors = client
      .db(settings.database)
      .collection<ExecutorDocument>(COLLECTIONS.executors);
    await new ExecutorRecords(executors, calls, store.unreadable).forgetSilent(clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Gives the database an id, if it has none, by which it is known from now on. */
async function watchStore(client: MongoClient, calls: ServerCalls): Promise<StoreWatch> {
  const { settings } = calls;
  const { clock, database, lookMs: everyMs, newMark, observer, operationMs: ms } = settings;
  const db = client.db(database);
  const records = new MongoRecords(db, calls, new RecordReader(observer));
  const look = new DatabaseLook(db, await sharedSecret(records, STORE_ID, newMark()));
  const secret = new Secret(settings.url);
  const watch = new StoreWatch({ clock, look, observer, everyMs, ms, secret });
  calls.heed(watch);
  return watch;
}

async function prepare(client: MongoClient, calls: ServerCalls): Promise<ServerClock> {
  const { settings } = calls;
  const db: Db = client.db(settings.database);
  await calls.call('connecting', () => refuseOldServer(client), 2 * settings.operationMs);
  const measured = await measureOffset(serverTimeOf(client, calls), settings.clock);
  const clock = new ServerClock(settings.clock, measured);
  await calls.call('the start-up proof', () => prove(db, settings), PROOF_MS);
  await calls.call('creating indexes', () => migrate(db, clock), MIGRATION_MS);
  return clock;
}

async function prove(db: Db, settings: Settings): Promise<void> {
  await proveServer(scratchOn(db), settings.newMark);
}

/** A client that is let go of whatever comes of it. */
async function usingClient<T>(
  settings: Settings,
  use: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const client = starterClient(settings);
  try {
    return await use(client);
  } finally {
    const { clock } = settings;
    await within(() => client.close(true), { clock, ms: DISCONNECT_MS }).catch(() => undefined);
  }
}
