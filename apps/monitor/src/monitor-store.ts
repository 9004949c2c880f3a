import path from 'node:path';
import { BARRIER_TABLE, openMongo, openSqlite } from '#barrier';
import type { Clock, Observer } from '#ports';
import type { ExecutorStore } from '#settings';
import type { EventLog } from './event-log.js';
import { MongoEvents } from './mongo-events.js';
import { MongoTargets } from './mongo-targets.js';
import { EVENT_TABLE, SqliteEvents } from './sqlite-events.js';
import { SqliteTargets, TARGET_TABLE } from './sqlite-targets.js';
import { TargetFile } from './target-file.js';
import type { TargetList } from './target-list.js';

/** Everything that module `monitor` keeps. */
export interface MonitorStore {
  readonly events: EventLog;
  readonly targets: TargetList;
  close(): Promise<void>;
}

/** Where module `monitor` keeps what it keeps. */
export interface MonitorStoreOptions {
  readonly clock: Clock;
  /** For the file that Prometheus reads, and for all the rest where `store` is `sqlite`. */
  readonly dataFolder: string;
  readonly observer: Observer;
  /** SQLite serves one machine; executors on several machines share a MongoDB. */
  readonly store: ExecutorStore;
}

/** Opens the store. The file of targets is brought up to date: a crash may have left it behind. */
export function openMonitorStore(options: MonitorStoreOptions): Promise<MonitorStore> {
  const { store } = options;
  const file = path.join(options.dataFolder, 'targets', 'backstep.json');
  return store === 'sqlite' ? openFile(options, file) : openShared(options, store.mongodbUrl, file);
}

async function openFile(options: MonitorStoreOptions, targetFile: string): Promise<MonitorStore> {
  const { clock, dataFolder } = options;
  const migrations = [BARRIER_TABLE, EVENT_TABLE, TARGET_TABLE];
  const file = await openSqlite({ clock, file: path.join(dataFolder, 'monitor.db'), migrations });
  const targets = new SqliteTargets(file, targetFile, clock);
  await targets.project();
  return { events: new SqliteEvents(file), targets, close: () => file.close() };
}

async function openShared(
  { clock, observer }: MonitorStoreOptions,
  url: string,
  file: string,
): Promise<MonitorStore> {
  const connection = await openMongo(url);
  try {
    const { db } = connection;
    const events = await MongoEvents.open(db);
    const fileOf = (read: TargetList['list']): TargetFile =>
      new TargetFile({ clock, file, observer, read });
    const targets = await MongoTargets.open({ clock, db, fileOf });
    const close = async (): Promise<void> => {
      await targets.close();
      await connection.close();
    };
    return { events, targets, close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
