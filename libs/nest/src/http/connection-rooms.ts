import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connectionsFor, handleLimit } from './file-handles.js';
import { isLoopback } from './origin-rules.js';

/** How many connections there may be. */
export interface RoomOptions {
  /** In all. */
  readonly connections: number;
  /** Of one address that is not of this machine; Infinity: any number. */
  readonly perAddress: number;
}

/** Node keeps the answer that a connection is busy with here; null or absent: it has none. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

const RESERVE_MAX = 64;
const RESERVE_SHARE = 8;

/**
 * Lets connections in up to a limit without ever shutting everybody out. While the ordinary room is
 * full, a newcomer takes the place of the oldest connection that is not being answered. Where all
 * are busy it comes into the reserve: there only health is answered, and the next newcomer
 * takes its place. So a supervisor is answered however many sockets somebody holds open.
 */
export class ConnectionRooms {
  /** Oldest first; those found busy are moved to the end. */
  private readonly ordinary = new Set<HttpSocket>();
  private readonly reserve = new Set<HttpSocket>();
  private readonly byAddress = new Map<string, number>();
  private readonly ordinaryMax: number;
  private readonly reserveMax: number;

  constructor(private readonly options: RoomOptions) {
    const { connections } = options;
    this.reserveMax = Math.min(RESERVE_MAX, Math.floor(connections / RESERVE_SHARE));
    // Those that were sent away count for the system until they are gone: as many again.
    this.ordinaryMax = connections - 2 * this.reserveMax;
  }

  /** Watches over the connections of a server. */
  guard(server: Server): void {
    server.maxConnections = this.options.connections;
    server.on('connection', (socket: Socket) => this.enter(socket));
  }

  /** Whether the connection is in the reserve: nothing but health is to be answered there. */
  isReserve(socket: Socket): boolean {
    return this.reserve.size > 0 && this.reserve.has(socket);
  }

  private enter(socket: HttpSocket): void {
    if (!this.countAddress(socket)) return void socket.destroy();
    if (this.ordinary.size < this.ordinaryMax || leaveOne(this.ordinary)) this.ordinary.add(socket);
    else this.enterReserve(socket);
    socket.once('close', () => {
      this.ordinary.delete(socket);
      this.reserve.delete(socket);
    });
  }

  private enterReserve(socket: HttpSocket): void {
    if (this.reserve.size >= this.reserveMax) leaveOne(this.reserve);
    if (this.reserve.size < this.reserveMax) this.reserve.add(socket);
    else socket.destroy();
  }

  private countAddress(socket: HttpSocket): boolean {
    const { perAddress } = this.options;
    if (perAddress === Infinity) return true;
    const { remoteAddress: address = '' } = socket;
    if (isLoopback(address.replace('::ffff:', ''))) return true;
    const count = this.byAddress.get(address) ?? 0;
    if (count >= perAddress) return false;
    this.byAddress.set(address, count + 1);
    socket.once('close', () => {
      const left = (this.byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.byAddress.delete(address);
      else this.byAddress.set(address, left);
    });
    return true;
  }
}

/** Ends the oldest connection that is not being answered; false: all of them are. */
function leaveOne(room: Set<HttpSocket>): boolean {
  let looks = room.size;
  for (const socket of room) {
    if (looks === 0) return false;
    looks -= 1;
    room.delete(socket);
    if (!socket._httpMessage) {
      socket.destroy();
      return true;
    }
    // A busy one is not looked at again before all others were.
    room.add(socket);
  }
  return false;
}

/** One address may have this share of all connections: a proxy has many, but never all. */
const ADDRESS_SHARE = 0.5;

/** What a listener may have, by its address and by the handles of the process. */
export function roomsOf({ host }: { readonly host: string }): RoomOptions {
  const connections = connectionsFor(handleLimit());
  // On loopback everybody has the same address.
  const perAddress = isLoopback(host) ? Infinity : Math.floor(connections * ADDRESS_SHARE);
  return { connections, perAddress };
}
