import type { Db, MongoClient } from 'mongodb';

/** Longer than a failover takes. */
const OPERATION_MS = 10_000;

/** A participant's own connection. */
export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/**
 * Connects a participant to a MongoDB; its writes wait for a majority of the replica set. A server,
 * an answer and a free socket are waited for up to `operationMs` milliseconds each.
 */
export async function openMongo(
  url: string,
  operationMs: number = OPERATION_MS,
): Promise<MongoConnection> {
  const client = await newClient(url, operationMs);
  await client.connect();
  return { db: client.db(), close: () => client.close() };
}

async function newClient(url: string, operationMs: number): Promise<MongoClient> {
  // The driver is loaded when it is used.
  const driver = await import('mongodb');
  try {
    return new driver.MongoClient(url, {
      appName: 'backstep-participant',
      readConcern: { level: 'majority' },
      serverSelectionTimeoutMS: operationMs,
      socketTimeoutMS: operationMs,
      // While all sockets wait for answers, more callers wait for a socket: for ever without this.
      waitQueueTimeoutMS: operationMs,
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: operationMs },
    });
  } catch {
    // The driver's own message may quote the URL, and with it a password.
    throw new Error('the MongoDB URL cannot be used');
  }
}
