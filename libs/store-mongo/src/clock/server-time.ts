import type { MongoClient, TopologyDescription } from 'mongodb';
import { UnsuitableServer } from '../failure.js';
import type { ServerCalls } from '../server-calls.js';
import type { ReadServerTime } from './measure-offset.js';

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
