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
  /** How often the database is looked at. Default 3,000. */
  readonly lookMs?: number;
}

/** How writes and reads share round trips. */
const ROUND_TRIPS = {
  /** Most writes, and most reads, in one round trip. */
  batchMax: 64,
  /** Most round trips at a time, of each kind of write. */
  batchesMax: 4,
  /** Longest wait beside a larger round trip, so that the next one takes as much. */
  gatherMs: 10,
};

/** Options with every default filled in, and the limits of round trips. */
export type Settings = Required<MongoStoreOptions> & Readonly<typeof ROUND_TRIPS>;

/** Name of the database where neither options nor URL give one. */
const DEFAULT_DATABASE = 'backstep';

/** Fills in the defaults. */
export function settingsOf(options: MongoStoreOptions): Settings {
  return {
    database: databaseOf(options.url),
    operationMs: 2_500,
    limitMs: 6_000,
    lookMs: 3_000,
    ...ROUND_TRIPS,
    ...options,
  };
}

/** The name of the database that a URL means. */
export function databaseOf(url: string): string {
  const [, name] = /^[^:]+:\/\/[^/]*\/([^?]+)/.exec(url) ?? [];
  return name ?? DEFAULT_DATABASE;
}
