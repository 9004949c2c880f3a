import { MongoClient } from 'mongodb';
import type { ContainerPlan } from './docker-server.js';
import type { Programs } from './find-server.js';
import { freePort } from './free-ports.js';
import type { MachinePlan } from './machine-server.js';
import type { Missing, RunningServer, ServerOptions } from './server.js';
import { ServerFolder } from './server-folder.js';
import { startServer } from './start-server.js';
import { acceptsConnections } from './wait-until.js';

const IMAGE = 'mongo:8';
const SELECTION_MS = 2_000;
const ALREADY_INITIALIZED = 23;

/** A MongoDB of its own: a replica set of one, so that sessions and transactions work. */
export interface MongoOptions extends ServerOptions {
  /**
   * Whether a write is on disk before it is acknowledged, as MongoDB does for `j: true`. Without
   * it a kill loses writes; a container always has it. Default: true.
   */
  readonly syncOnCommit?: boolean;
}

/** A server that speaks MongoDB's protocol. Its URL names no database. */
export type MongoServer = RunningServer;

/** Finds or starts MongoDB, or the server that stands in for it where there is no Docker. */
export function startMongo(options: MongoOptions = {}): Promise<MongoServer | Missing> {
  return startServer('mongo', options, {
    container: planContainer,
    machine: (programs) => planMachine(programs, options),
  });
}

async function planMachine(programs: Programs, options: MongoOptions): Promise<MachinePlan> {
  const folder = await ServerFolder.open('mongo', options);
  const port = await freePort();
  const url = urlAt(port);
  const args = ['--host', '127.0.0.1', '--port', String(port), '--storage-path', folder.data];
  // The defaults are a large cache and 128 MB of log for an empty store.
  args.push('--cache-size', '256M', '--log-file-max', '32MB', '--log-level', 'WARNING');
  if (options.syncOnCommit ?? true) args.push('--sync-on-commit');
  return {
    name: 'mongo',
    url,
    folder,
    process: { command: programs['secantusd-rs']!, args },
    ready: () => acceptsConnections(port).then(() => ping(url)),
  };
}

/** The same port inside and outside: a replica set tells its clients where it is. */
async function planContainer(): Promise<ContainerPlan> {
  const port = await freePort();
  const url = urlAt(port);
  return {
    name: 'mongo',
    url,
    image: IMAGE,
    port: { container: port, host: port },
    command: ['mongod', '--replSet', 'rs0', '--port', String(port), '--bind_ip_all'],
    ready: () => initiate(port).then(() => ping(url)),
  };
}

function urlAt(port: number): string {
  return `mongodb://127.0.0.1:${port}/`;
}

/** Succeeds when there is a primary that answers. */
async function ping(url: string): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: SELECTION_MS });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}

async function initiate(port: number): Promise<void> {
  const client = new MongoClient(urlAt(port), {
    directConnection: true,
    serverSelectionTimeoutMS: SELECTION_MS,
  });
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  try {
    await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members } });
  } catch (error) {
    if ((error as { code?: unknown }).code !== ALREADY_INITIALIZED) throw error;
  } finally {
    await client.close();
  }
}
