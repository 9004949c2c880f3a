import { MongoClient, type MongoClientOptions, ReadConcern, WriteConcern } from 'mongodb';
import type { Settings } from './options.js';
import { UnsuitableServer } from './failure.js';

/** First protocol version of MongoDB 5.0. */
const WIRE_VERSION_MIN = 13;

/** Sockets of a store. Few: batches share them. */
const POOL = 16;

/** Sockets for the start-up proof: as many writers at once as there are sockets. */
const STARTER_POOL = 32;

/** A write waits until a majority of the replica set has it on disk. */
export function durable(operationMs: number): WriteConcern {
  return new WriteConcern('majority', operationMs, true);
}

/** Reads see only what a majority has: nothing that a failover could take back. */
const MAJORITY_READ = new ReadConcern('majority');

/**
 * How long a socket waits for an answer, as a multiple of how long a caller does: a server that is
 * slow for a while gets to answer, and no socket is thrown away and opened again meanwhile.
 */
const SOCKET_PATIENCE = 4;

/** A client for the store's life. */
export function storeClient(settings: Settings): MongoClient {
  const socketTimeoutMS = SOCKET_PATIENCE * settings.operationMs;
  return newClient(settings, { maxPoolSize: POOL, socketTimeoutMS });
}

/** Longest time for the start-up proof, in milliseconds. */
export const PROOF_MS = 30_000;

/**
 * A client for migrations and the start-up proof: index builds may take long. The proof opens all
 * its sockets at once, and a busy machine needs seconds for them: the proof's own time limits that.
 */
export function starterClient(settings: Settings): MongoClient {
  return newClient(settings, {
    maxPoolSize: STARTER_POOL,
    minPoolSize: 0,
    connectTimeoutMS: PROOF_MS,
    waitQueueTimeoutMS: PROOF_MS,
  });
}

function newClient(settings: Settings, more: MongoClientOptions): MongoClient {
  refuseWeakConcern(parse(settings.url, {}));
  const { operationMs } = settings;
  return parse(settings.url, {
    appName: 'backstep',
    connectTimeoutMS: operationMs,
    serverSelectionTimeoutMS: operationMs,
    waitQueueTimeoutMS: operationMs,
    ignoreUndefined: true,
    readConcern: MAJORITY_READ,
    readPreference: 'primary',
    retryReads: true,
    retryWrites: true,
    writeConcern: durable(operationMs),
    ...more,
  });
}

/** The driver's own message is not passed on: it may quote the URL, and with it a password. */
function parse(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    throw new UnsuitableServer(
      'The MongoDB URL cannot be used: check the scheme, the hosts, the names of its options, and ' +
        'that special characters in user and password are percent-encoded.',
    );
  }
}

/** A weaker concern in the URL is a wish that the store cannot honour, so it is not ignored. */
function refuseWeakConcern(client: MongoClient): void {
  const { w, journal } = client.options.writeConcern ?? {};
  if ((w === undefined || w === 'majority') && journal !== false) return;
  throw new UnsuitableServer(
    'The MongoDB URL asks for a weaker write concern than w=majority with journal: a failover ' +
      'could take back what was acknowledged.',
  );
}

/** Refuses servers that are too old for what the store uses. */
export async function refuseOldServer(client: MongoClient): Promise<void> {
  const hello = await client.db('admin').command({ hello: 1 });
  const wireVersion = Number(hello['maxWireVersion'] ?? 0);
  if (wireVersion >= WIRE_VERSION_MIN) return;
  throw new UnsuitableServer(
    `The MongoDB server speaks protocol version ${wireVersion}; MongoDB 5.0 or newer is needed.`,
  );
}
