import type { Db, MongoClient } from 'mongodb';
import { StoreUnavailable } from '#ports';

/** Longer than a failover takes. */
const OPERATION_MS = 10_000;

/** A participant's own connection. */
export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/**
 * Error codes of a server that is no primary now, or could not wait for a majority: host
 * unreachable, not found, network timeout, write concern failed, shutting down, too few members,
 * none that may be read, stepped down, time limit exceeded, socket broken, not primary (three),
 * interrupted (two); and of one that refuses the login, or has no room on its disk. Rights are left
 * out: an effect may ask for what its user was never to have.
 */
const AWAY = new Set([
  6, 7, 18, 64, 89, 91, 100, 133, 189, 262, 9_001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
  14_031,
]);

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

/**
 * The result; throws `StoreUnavailable` where there is none because the server was not there or did
 * not answer in time, which says nothing about whether a write took effect.
 */
export async function orUnavailable<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(await isAway(error))) throw error;
    throw new StoreUnavailable(`MongoDB does not answer: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Whether an error is about the server's being there, not about what was asked of it. */
async function isAway(error: unknown): Promise<boolean> {
  // Loaded by then: a process without a MongoDB does not load its driver.
  const {
    MongoNetworkError,
    MongoOperationTimeoutError,
    MongoServerError,
    MongoServerSelectionError,
  } = await import('mongodb');
  if (error instanceof MongoServerError) {
    return typeof error.code === 'number' && AWAY.has(error.code);
  }
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoServerSelectionError ||
    isWaitForSocket(error) ||
    isSystemError(error)
  );
}

/** All sockets waited for answers meanwhile. The driver does not export the class. */
function isWaitForSocket(error: unknown): boolean {
  return error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';
}

/** Sockets fail with these, not always wrapped by the driver. */
function isSystemError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
