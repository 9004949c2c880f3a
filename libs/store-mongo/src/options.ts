import type { Clock, Observer } from '#ports';

/** Options of a store on MongoDB. Times are in milliseconds. */
export interface MongoStoreOptions {
  /** `mongodb://` or `mongodb+srv://` URL. A path names the database. */
  readonly url: string;
  /** This machine's own; the times in tasks come from the store's `clock`. */
  readonly clock: Clock;
  /** Notified when clocks are wrong. */
  readonly observer: Observer;
  /** Returns a new globally unique text with every call, which identifies a write afterwards. */
  readonly newMark: () => string;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Name of the database; default: the URL's path, else `backstep`. */
  readonly database?: string;
  /** Longest wait for one answer of the server. Default 2,500. */
  readonly operationMs?: number;
  /** Longest time for a read or write with all its attempts, waiting included. Default 6,000. */
  readonly limitMs?: number;
  /** Most writes, and most reads, in one round trip. Default 64. */
  readonly batchMax?: number;
  /** Most round trips at a time, of each kind of write. Default 4. */
  readonly batchesMax?: number;
  /** Longest wait beside a larger round trip, so that the next one takes as much. Default 10. */
  readonly gatherMs?: number;
  /** Longest wait for an index to be built at start. Default ten minutes. */
  readonly migrationMs?: number;
  /** How often the database is looked at. Default 3,000. */
  readonly lookMs?: number;
}

/** Options with every default filled in. */
export type Settings = Required<MongoStoreOptions>;

/** Name of the database where neither options nor URL give one. */
const DEFAULT_DATABASE = 'backstep';

/** Fills in the defaults. */
export function settingsOf(options: MongoStoreOptions): Settings {
  return {
    database: databaseOf(options.url),
    operationMs: 2_500,
    limitMs: 6_000,
    batchMax: 64,
    batchesMax: 4,
    gatherMs: 10,
    migrationMs: 600_000,
    lookMs: 3_000,
    ...options,
  };
}

/** The name of the database that a URL means. */
export function databaseOf(url: string): string {
  const [, name] = /^[^:]+:\/\/[^/]*\/([^?]+)/.exec(url) ?? [];
  return name ?? DEFAULT_DATABASE;
}
