import type { Db, MongoClient } from 'mongodb';
import { refuseOldServer, starterClient, storeClient } from './connection.js';
import { within } from './deadline.js';
import { ExecutorRecords, type ExecutorDocument } from './executor-records.js';
import { COLLECTIONS, migrate } from './migrations.js';
import { MongoStore } from './mongo-store.js';
import { settingsOf, type MongoStoreOptions, type Settings } from './options.js';
import { scratchOn } from './scratch.js';
import { ServerCalls } from './server-calls.js';
import { proveServer } from './server-proof.js';

/** Longest time for the start-up proof, in milliseconds. */
const PROOF_MS = 30_000;

/** Longest wait for the driver to let go of its sockets, in milliseconds. */
const DISCONNECT_MS = 2_000;

/**
 * Opens the store. Throws `UnsuitableServer` where the URL or the server cannot keep what the store
 * promises, and `StoreUnavailable` where the server does not answer.
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<MongoStore> {
  const settings = settingsOf(options);
  const calls = new ServerCalls(settings);
  await usingClient(starterClient(settings), settings, (client) => prepare(client, calls));
  const client = storeClient(settings);
  const db = client.db(settings.database);
  const executors = db.collection<ExecutorDocument>(COLLECTIONS.executors);
  try {
    await new ExecutorRecords(executors, calls).forgetSilent(settings.clock.now());
  } catch (error) {
    await disconnect(client, settings);
    throw error;
  }
  return new MongoStore(client, calls);
}

async function prepare(client: MongoClient, calls: ServerCalls): Promise<void> {
  const { settings } = calls;
  const db: Db = client.db(settings.database);
  await calls.call('connecting', () => refuseOldServer(client), 2 * settings.operationMs);
  await calls.call('the start-up proof', () => prove(db, settings), PROOF_MS);
  await calls.call('creating indexes', () => migrate(db, settings.clock), settings.migrationMs);
}

async function prove(db: Db, settings: Settings): Promise<void> {
  await proveServer(await scratchOn(db), settings.newMark);
}

async function usingClient(
  client: MongoClient,
  settings: Settings,
  use: (client: MongoClient) => Promise<void>,
): Promise<void> {
  try {
    await use(client);
  } finally {
    await disconnect(client, settings);
  }
}

async function disconnect(client: MongoClient, { clock }: Settings): Promise<void> {
  await within(() => client.close(true), { clock, ms: DISCONNECT_MS }).catch(() => undefined);
}
