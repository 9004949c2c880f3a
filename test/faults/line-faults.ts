import type { ProxyMode, TcpProxy } from '../servers/index.js';
import type { Blow } from '../storm/index.js';
import { type Hold, keepBroken } from './hold.js';

const MODES: Readonly<Record<string, ProxyMode>> = {
  'slow by 300 ms': { delayMs: 300 },
  'cut and refused': 'cut',
  'half closed': 'half-close',
  'a black hole upwards': 'hole-up',
  'a black hole downwards': 'hole-down',
  'a black hole': 'hole',
  'a trickle of 2 KB/s': { bytesPerSecond: 2_000 },
  'broken off in mid-message': 'truncate',
};

/** Everything that can happen to the line to a server, each followed by its mending. */
export function lineBlows(server: string, proxy: TcpProxy, hold: Hold): readonly Blow[] {
  const suffer = async (mode: ProxyMode): Promise<void> => {
    proxy.set(mode);
    await keepBroken(hold);
    proxy.set('pass');
  };
  return Object.entries(MODES).map(([what, mode]) => ({
    name: `line to ${server}: ${what}`,
    strike: () => suffer(mode),
  }));
}

/** A black hole after which the connections of before are gone, as with a gateway that forgot. */
export function lostLine(server: string, proxy: TcpProxy, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    proxy.set('hole');
    await keepBroken(hold);
    proxy.set('cut');
    proxy.set('pass');
  };
  return { name: `line to ${server}: a black hole, then cut`, strike };
}
