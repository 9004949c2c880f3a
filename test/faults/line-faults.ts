import type { ProxyMode, TcpProxy } from '../servers/index.js';
import type { Blow } from '../storm/index.js';
import { type Hold, keepBroken } from './hold.js';

/** The server is away: nothing gets through. */
const AWAY: Readonly<Record<string, ProxyMode>> = {
  'cut and refused': 'cut',
  'a black hole upwards': 'hole-up',
  'a black hole downwards': 'hole-down',
  'a black hole': 'hole',
};

/** Everything else: some of it gets through. */
const POOR: Readonly<Record<string, ProxyMode>> = {
  'slow by 300 ms': { delayMs: 300 },
  'half closed': 'half-close',
  'a trickle of 2 KB/s': { bytesPerSecond: 2_000 },
  'broken off in mid-message': 'truncate',
};

/** Everything that can happen to the line to a server, each followed by its mending. */
export function lineBlows(server: string, proxy: TcpProxy, hold: Hold): readonly Blow[] {
  return [...linesAway(server, proxy, hold), ...brokenLines(server, { proxy, hold }, POOR)];
}

/** Faults that cut all clients off from a server, each followed by its return. */
export function linesAway(server: string, proxy: TcpProxy, hold: Hold): readonly Blow[] {
  return brokenLines(server, { proxy, hold }, AWAY);
}

function brokenLines(
  server: string,
  { hold, proxy }: { readonly hold: Hold; readonly proxy: TcpProxy },
  modes: Readonly<Record<string, ProxyMode>>,
): readonly Blow[] {
  const suffer = async (mode: ProxyMode): Promise<void> => {
    proxy.set(mode);
    await keepBroken(hold);
    proxy.set('pass');
  };
  return Object.entries(modes).map(([what, mode]) => ({
    name: `line to ${server}: ${what}`,
    strike: () => suffer(mode),
  }));
}

/** A black hole after which the earlier connections are gone, as with a gateway that forgot. */
export function lostLine(server: string, proxy: TcpProxy, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    proxy.set('hole');
    await keepBroken(hold);
    proxy.set('cut');
    proxy.set('pass');
  };
  return { name: `line to ${server}: a black hole, then cut`, strike };
}
