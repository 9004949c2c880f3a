import type { Db, MongoClient } from 'mongodb';
import { ClockWatch } from './clock/clock-watch.js';
import { measureOffset } from './clock/measure-offset.js';
import { ServerClock } from './clock/server-clock.js';
import { onNewPrimary, serverTimeOf } from './clock/server-time.js';
import { PROOF_MS, refuseOldServer, starterClient, storeClient } from './connection.js';
import { within } from './deadline.js';
import { ExecutorRecords, type ExecutorDocument } from './executor-records.js';
import { COLLECTIONS, migrate } from './migrations.js';
import { MongoStore } from './mongo-store.js';
import { settingsOf, type MongoStoreOptions, type Settings } from './options.js';
import { scratchOn } from './scratch.js';
import { ServerCalls } from './server-calls.js';
import { proveServer } from './server-proof.js';

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
  const store = new MongoStore(client, calls, watch);
  try {
    const executors = client
      .db(settings.database)
      .collection<ExecutorDocument>(COLLECTIONS.executors);
    await new ExecutorRecords(executors, calls, store.records).forgetSilent(clock.now());
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

async function prepare(client: MongoClient, calls: ServerCalls): Promise<ServerClock> {
  const { settings } = calls;
  const db: Db = client.db(settings.database);
  await calls.call('connecting', () => refuseOldServer(client), 2 * settings.operationMs);
  const measured = await measureOffset(serverTimeOf(client, calls), settings.clock);
  const clock = new ServerClock(settings.clock, measured);
  await calls.call('the start-up proof', () => prove(db, settings), PROOF_MS);
  await calls.call('creating indexes', () => migrate(db, clock), settings.migrationMs);
  return clock;
}

async function prove(db: Db, settings: Settings): Promise<void> {
  await proveServer(await scratchOn(db), settings.newMark);
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
