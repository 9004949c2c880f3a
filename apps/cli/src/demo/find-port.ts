import { once } from 'node:events';
import { createServer } from 'node:net';
import { CliError, EXIT } from '../exit.js';

/** How many ports are tried. */
const TRIES = 50;

/** The port itself if it is free, else, if `others` will do, the next one that is. */
export async function findPort(
  first: number,
  { others }: { readonly others: boolean },
): Promise<number> {
  for (let port = first; port < first + (others ? TRIES : 1); port += 1) {
    if (await isFree(port)) return port;
  }
  const sentence = `port ${first} is in use`;
  throw new CliError(EXIT.endedOtherwise, sentence, 'Choose another one with --port.');
}

/** Whether nothing listens on this port of this machine. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
