import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range that the kernel takes the near ends of connections from: there, somebody's
 * connection could sit on the port of a server that was killed when it is started again.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** Ports that nothing listens on, chosen at random so that test runs side by side rarely meet. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(FIRST, LAST);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

/** One port that nothing listens on. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Whether nothing listens on the port. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host: '127.0.0.1', port, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
