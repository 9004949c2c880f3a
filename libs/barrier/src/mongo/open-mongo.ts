import type { Db, MongoClient } from 'mongodb';

/** Longer than a failover takes. */
const OPERATION_MS = 10_000;

/** A participant's own connection. */
export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/** Connects a participant to a MongoDB; its writes wait for a majority of the replica set. */
export async function openMongo(url: string): Promise<MongoConnection> {
  const client = await newClient(url);
  await client.connect();
  return { db: client.db(), close: () => client.close() };
}

async function newClient(url: string): Promise<MongoClient> {
  // The driver is loaded when it is used.
  const driver = await import('mongodb');
  try {
    return new driver.MongoClient(url, {
      appName: 'backstep-participant',
      readConcern: { level: 'majority' },
      serverSelectionTimeoutMS: OPERATION_MS,
      socketTimeoutMS: OPERATION_MS,
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: OPERATION_MS },
    });
  } catch {
    // The driver's own message may quote the URL, and with it a password.
    throw new Error('the MongoDB URL cannot be used');
  }
}
