import { once } from 'node:events';
import { createServer } from 'node:net';

/** An address on which something could listen. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** How many ports are looked at. */
const TRIES = 50;

/** Whether nothing listens at an address; also where this machine does not have it. */
export async function isFree(place: Place): Promise<boolean> {
  return (await obstacleAt(place)) !== 'EADDRINUSE';
}

/** The port itself if it is free, else the next one that is; null: there is none near it. */
export async function nextFreePort({ host, port: first }: Place): Promise<number | null> {
  for (let port = first; port < first + TRIES; port += 1) {
    if (await isFree({ host, port })) return port;
  }
  return null;
}

/** The code of the error that listening there fails with; undefined: it does not. */
async function obstacleAt({ host, port }: Place): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    server.close();
  }
}
