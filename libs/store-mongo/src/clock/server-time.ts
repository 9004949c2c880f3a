import type { MongoClient, TopologyDescription } from 'mongodb';
import type { Clock } from '#ports';
import { UnsuitableServer } from '../failure.js';
import type { ServerCalls } from '../server-calls.js';

/** Asks the server for its time of day, in whole milliseconds since 1970. */
export type ReadServerTime = () => Promise<number>;

/** Where the server's time is from this process's monotonic time, in milliseconds. */
export interface Measurement {
  /** Server's time minus monotonic time. */
  readonly offset: number;
  /** The true offset differs by no more than this. */
  readonly error: number;
}

/** Round trips of one measurement: one of several is seldom held up. */
const SAMPLES = 5;

/** The server leaves out parts of a millisecond: what it says is half of one behind on average. */
const HALF_MS = 0.5;

/**
 * Measures with several round trips and takes the shortest: the server read its clock at some
 * moment of the trip, so half of it is the most by which its middle can be wrong. Rejects where the
 * server does not answer.
 */
export async function measureOffset(
  read: ReadServerTime,
  clock: Pick<Clock, 'monotonic'>,
): Promise<Measurement> {
  let best = await sample(read, clock);
  for (let nth = 1; nth < SAMPLES; nth += 1) {
    const next = await sample(read, clock);
    if (next.error < best.error || contradicts(next, best)) best = next;
  }
  return best;
}

async function sample(read: ReadServerTime, clock: Pick<Clock, 'monotonic'>): Promise<Measurement> {
  const askedAt = clock.monotonic();
  const theirs = await read();
  const answeredAt = clock.monotonic();
  const halfTrip = (answeredAt - askedAt) / 2;
  return { offset: theirs + HALF_MS - (askedAt + halfTrip), error: halfTrip + HALF_MS };
}

/** Both cannot be true of one clock: it was set between them, and the later one counts. */
function contradicts(one: Measurement, other: Measurement): boolean {
  return Math.abs(one.offset - other.offset) > one.error + other.error;
}

/** Reads the clock of the server that takes writes, in one round trip. */
export function serverTimeOf(client: MongoClient, calls: ServerCalls): ReadServerTime {
  return async () => {
    const hello = await calls.ask('reading its clock', () =>
      client.db('admin').command({ hello: 1 }),
    );
    const time: unknown = hello['localTime'];
    if (time instanceof Date) return time.getTime();
    throw new UnsuitableServer(
      'The MongoDB server does not say what time it is: `hello` answers without `localTime`.',
    );
  };
}

/** Tells when a server takes writes that did not before: it is there again, or it is another. */
export function onNewPrimary(client: MongoClient, tell: () => void): void {
  client.on('topologyDescriptionChanged', ({ newDescription, previousDescription }) => {
    const primary = primaryOf(newDescription);
    if (primary !== undefined && primary !== primaryOf(previousDescription)) tell();
  });
}

/** A process that took the place of another at the same address is another primary. */
function primaryOf({ servers }: TopologyDescription): string | undefined {
  const primary = [...servers.values()].find(({ isWritable }) => isWritable);
  if (primary === undefined) return undefined;
  return `${primary.address} ${primary.topologyVersion?.processId.toHexString() ?? ''}`;
}
