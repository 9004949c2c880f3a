import { freePort, isFree } from '../servers/free-ports.js';
import type { AppName } from './app-process.js';

/** Where each kind of process listens when nobody says otherwise. */
export const USUAL_PORTS: Readonly<Record<AppName, number>> = {
  standalone: 7070,
  oss: 7070,
  resource: 7071,
  mysql: 7072,
  monitor: 7073,
  lab: 7074,
  http: 7075,
};

const FIRST = 7070;

/** The usual port of a process, moved to where `base` says. */
export function usualPort(app: AppName, base = FIRST): number {
  return USUAL_PORTS[app] - FIRST + base;
}

/** The same, or another port where it is taken. */
export async function portFor(app: AppName, base = FIRST): Promise<number> {
  const wanted = usualPort(app, base);
  return (await isFree(wanted)) ? wanted : freePort();
}
