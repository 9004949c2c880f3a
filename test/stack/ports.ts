import { createServer } from 'node:net';
import { once } from 'node:events';
import { freePort } from '../servers/free-ports.js';
import type { AppName } from './app-process.js';

/** Where each kind of process listens when nobody says otherwise. */
export const USUAL_PORTS: Readonly<Record<AppName, number>> = {
  standalone: 7070,
  oss: 7070,
  resource: 7071,
  mysql: 7072,
  monitor: 7073,
  lab: 7074,
};

const FIRST = 7070;

/** The usual port of a process, moved to where `base` says, or another one where it is taken. */
export async function portFor(app: AppName, base = FIRST): Promise<number> {
  const wanted = USUAL_PORTS[app] - FIRST + base;
  return (await isFree(wanted)) ? wanted : freePort();
}

async function isFree(port: number): Promise<boolean> {
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
