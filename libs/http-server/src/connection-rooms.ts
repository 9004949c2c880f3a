import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { readFileSync } from 'node:fs';
import type { Clock } from '#ports';
import { answerOf } from '#seams/node';
import { isLoopback } from './origin-rules.js';

/** File handles that are assumed where the system does not report its limit. */
const HANDLES_ELSEWHERE = 4_096;

/** Handles that connections leave to the store, the broker, flow files and everything else. */
const HANDLES_KEPT = 256;

/** Idle connections cost memory too: about 200 MiB are these. */
const CONNECTIONS_MAX = 16_384;

const CONNECTIONS_MIN = 64;

/** How many connections there may be. */
export interface RoomOptions {
  /** In all. */
  readonly connections: number;
  /** Of one address that is not of this machine; Infinity: any number. */
  readonly perAddress: number;
}

/** A connection that was let in. */
interface Seat {
  readonly socket: Socket;
  /** Where its requests come from: with TLS another socket, once there is an agreement on keys. */
  http: Socket;
}

/** How long a request that is under way may still take once the server stops, in milliseconds. */
const LEAVE_MS = 3_000;

const RESERVE_MAX = 64;
const RESERVE_SHARE = 8;

/**
 * Lets connections in up to a limit without ever shutting everybody out. While the ordinary room is
 * full, a newcomer takes the place of the oldest connection that is not being answered. Where all
 * are busy it comes into the reserve: there only health is answered, and the next newcomer
 * takes its place. So a supervisor is answered however many sockets a client holds open.
 */
export class ConnectionRooms {
  /** Oldest first; those found busy are moved to the end. */
  private readonly ordinary = new Set<Seat>();
  private readonly reserve = new Set<Seat>();
  private readonly seats = new WeakMap<Socket, Seat>();
  /** Connections without decrypted bytes so far, by the other end's address and port. */
  private readonly handshakes = new Map<string, Seat>();
  private readonly byAddress = new Map<string, number>();
  private isEncrypted = false;
  private isClosed = false;
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
    this.isEncrypted = server instanceof TlsServer;
    server.on('connection', (socket: Socket) => this.enter(socket));
    server.on('secureConnection', (socket: Socket) => this.decrypted(socket));
  }

  /** Whether the connection is in the reserve: nothing but health is to be answered there. */
  isReserve(socket: Socket): boolean {
    if (this.reserve.size === 0) return false;
    const seat = this.seats.get(socket);
    return seat !== undefined && this.reserve.has(seat);
  }

  /**
   * Lets nobody in from now on, and ends the connections that are not being answered; the others
   * have `LEAVE_MS`. Without it, a connection on which nothing was asked yet, as browsers open them
   * ahead, or half a body would keep a server from stopping for as long as its client likes.
   */
  close(clock: Pick<Clock, 'after'>): void {
    this.isClosed = true;
    const seats = (): Seat[] => [...this.ordinary, ...this.reserve];
    for (const { http, socket } of seats()) if (answerOf(http) === null) socket.destroy();
    clock.after(LEAVE_MS, () => {
      for (const { socket } of seats()) socket.destroy();
    });
  }

  private enter(socket: Socket): void {
    if (this.isClosed || !this.countAddress(socket)) return void socket.destroy();
    const seat: Seat = { socket, http: socket };
    this.seats.set(socket, seat);
    if (this.ordinary.size < this.ordinaryMax || leaveOne(this.ordinary)) this.ordinary.add(seat);
    else this.enterReserve(seat);
    const end = farEndOf(socket);
    if (this.isEncrypted) this.handshakes.set(end, seat);
    socket.once('close', () => {
      this.ordinary.delete(seat);
      this.reserve.delete(seat);
      if (this.handshakes.get(end) === seat) this.handshakes.delete(end);
    });
  }

  /** The socket of the requests of a connection that is there already. */
  private decrypted(socket: Socket): void {
    const end = farEndOf(socket);
    const seat = this.handshakes.get(end);
    if (seat === undefined) return;
    this.handshakes.delete(end);
    seat.http = socket;
    this.seats.set(socket, seat);
  }

  private enterReserve(seat: Seat): void {
    if (this.reserve.size >= this.reserveMax) leaveOne(this.reserve);
    if (this.reserve.size < this.reserveMax) this.reserve.add(seat);
    else seat.socket.destroy();
  }

  private countAddress(socket: Socket): boolean {
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
function leaveOne(room: Set<Seat>): boolean {
  let looks = room.size;
  for (const seat of room) {
    if (looks === 0) return false;
    looks -= 1;
    room.delete(seat);
    if (answerOf(seat.http) === null) {
      seat.socket.destroy();
      return true;
    }
    // A busy one is not looked at again before all others were.
    room.add(seat);
  }
  return false;
}

/** The other end of a connection, which its encrypted and its decrypted socket share. */
export function farEndOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** One address may have this share of all connections: a proxy has many, but never all. */
const ADDRESS_SHARE = 0.5;

/**
 * Connection limits of a listener, by its address and by the file handles of the process. `null`:
 * it is a socket in the file system.
 */
export function roomsOf(host: string | null): RoomOptions {
  const connections = connectionsFor(handleLimit());
  // On loopback everybody has the same address, and on a socket nobody has one.
  const isLocal = host === null || isLoopback(host);
  return { connections, perAddress: isLocal ? Infinity : Math.floor(connections * ADDRESS_SHARE) };
}

/** How many connections a listener may have, by the handles that the process may open. */
export function connectionsFor(handles: number): number {
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, handles - HANDLES_KEPT));
}

/** How many files and sockets this process may open, as Linux tells. */
export function handleLimit(read = readLimits): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(read())?.[1];
  if (soft === undefined) return HANDLES_ELSEWHERE;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
