import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { ProxyLane } from './tcp-proxy-lane.js';

/** From the client to the server, or back. */
export type Direction = 'up' | 'down';

/**
 * The fault of a connection:
 * - `pass`: nothing;
 * - `cut`: both ends see a reset; new connections are reset as soon as they are accepted;
 * - `half-close`: the client sees the end of the server's stream and can still send;
 * - `hole-up`, `hole-down`, `hole`: bytes to the server, to the client, or both, go nowhere while
 *   the connection stays open. They come through when the hole ends, as after a network partition,
 *   unless the connection is cut first;
 * - `truncate`: half of the next bytes in each direction arrives, then the connection is reset;
 * - `delayMs`: every byte arrives this much later, in order;
 * - `bytesPerSecond`: a slow line, in each direction.
 */
export type ProxyMode =
  | 'pass'
  | 'cut'
  | 'half-close'
  | 'hole-up'
  | 'hole-down'
  | 'hole'
  | 'truncate'
  | { readonly delayMs: number }
  | { readonly bytesPerSecond: number };

/** Reported when bytes arrive, before they go on: a mode set now applies to them. */
export interface Arrival {
  readonly connection: ProxiedConnection;
  readonly direction: Direction;
  readonly chunk: Buffer;
}

/** The server behind a proxy. */
export interface ProxyTarget {
  readonly port: number;
  /** Default: this machine. */
  readonly host?: string;
}

/** One connection through the proxy, with a mode of its own. */
export class ProxiedConnection {
  readonly #up: ProxyLane;
  readonly #down: ProxyLane;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    arrives: (arrival: Arrival) => void,
  ) {
    const on = (direction: Direction) => (chunk: Buffer) =>
      arrives({ connection: this, direction, chunk });
    this.#up = new ProxyLane(client, server, on('up'));
    this.#down = new ProxyLane(server, client, on('down'));
  }

  /** Bytes that arrived at the proxy, whether they were passed on or not. */
  get bytesUp(): number {
    return this.#up.bytes;
  }

  get bytesDown(): number {
    return this.#down.bytes;
  }

  /** Whether both ends are gone. */
  get closed(): boolean {
    return this.client.destroyed && this.server.destroyed;
  }

  set(mode: ProxyMode): void {
    if (mode === 'cut') {
      this.#up.cut();
      this.#down.cut();
      return;
    }
    this.#up.set(paceOf(mode, 'up'));
    this.#down.set(paceOf(mode, 'down'));
    if (mode === 'half-close') this.#down.finish();
  }
}

/**
 * Stands between a client and a server and breaks the line between them as told, while both run.
 * Emits `connection` with each {@link ProxiedConnection}, and `arrival` with each {@link Arrival}.
 */
export class TcpProxy extends EventEmitter<{
  connection: [ProxiedConnection];
  arrival: [Arrival];
}> {
  readonly #connections = new Set<ProxiedConnection>();
  #mode: ProxyMode = 'pass';

  private constructor(
    private readonly listener: Server,
    private readonly target: ProxyTarget,
  ) {
    super();
    listener.on('connection', (client) => this.#accept(client));
  }

  /** Listens on a free port of this machine. */
  static async open(target: ProxyTarget): Promise<TcpProxy> {
    const listener = createServer({ allowHalfOpen: true, noDelay: true });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new TcpProxy(listener, target);
  }

  /** Stands before the server of a URL; its clients use {@link through}. */
  static openBefore(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    return TcpProxy.open({ host: hostname, port: Number(port) });
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** Those that are open. */
  get connections(): readonly ProxiedConnection[] {
    return [...this.#connections];
  }

  /** The same URL, by way of this proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.port}`;
    // A replica set tells its clients where it is, and they would go there past the proxy.
    if (changed.protocol === 'mongodb:') changed.searchParams.set('directConnection', 'true');
    return changed.href;
  }

  /** Sets the mode of every connection, those to come included. */
  set(mode: ProxyMode): void {
    this.#mode = mode;
    for (const connection of this.#connections) connection.set(mode);
  }

  /** Cuts what is open and stops listening. */
  async close(): Promise<void> {
    const closed = once(this.listener, 'close');
    this.listener.close();
    this.set('cut');
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const { host = '127.0.0.1', port } = this.target;
    const server = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const arrives = (arrival: Arrival) => this.emit('arrival', arrival);
    const connection = new ProxiedConnection(client, server, arrives);
    this.#connections.add(connection);
    const forget = () => {
      if (connection.closed) this.#connections.delete(connection);
    };
    client.once('close', forget);
    server.once('close', forget);
    connection.set(this.#mode);
    this.emit('connection', connection);
  }
}

function paceOf(mode: Exclude<ProxyMode, 'cut'>, direction: Direction) {
  if (typeof mode === 'object') return mode;
  if (mode === 'truncate') return { torn: true };
  return { held: mode === 'hole' || mode === `hole-${direction}` };
}
