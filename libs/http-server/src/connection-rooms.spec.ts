import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  get,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, get as getByTls } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { ConnectionRooms, connectionsFor, handleLimit } from './connection-rooms.js';

const TLS = new URL('../../../test/fixtures/tls/', import.meta.url);

/** The same rooms, asked in clear and encrypted. */
const WAYS = {
  http: {
    serve: (answer: RequestListener): Server => createServer(answer),
    open: (port: number): Socket => connect(port, '127.0.0.1'),
    opened: 'connection',
    get,
  },
  https: {
    serve: (answer: RequestListener): Server => {
      const cert = readFileSync(new URL('first.cert.pem', TLS));
      return createTlsServer({ cert, key: readFileSync(new URL('first.key.pem', TLS)) }, answer);
    },
    open: (port: number): Socket => connectByTls({ port, rejectUnauthorized: false }),
    opened: 'secureConnection',
    get: getByTls,
  },
} as const;

describe.each(['http', 'https'] as const)('connections by %s beyond the room there is', (name) => {
  const way = WAYS[name];
  let server: Server;
  let rooms: ConnectionRooms;
  let waiting: ServerResponse[];
  let sockets: Socket[];

  beforeEach(async () => {
    waiting = [];
    sockets = [];
    // Of 16 two are the reserve, and two are for those that are on their way out.
    rooms = new ConnectionRooms({ connections: 16, perAddress: Infinity });
    server = way.serve((request, response) => {
      if (request.url === '/wait') waiting.push(response);
      else response.end(rooms.isReserve(request.socket) ? 'reserve' : 'ordinary');
      server.emit('asked');
    });
    rooms.guard(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  const port = (): number => (server.address() as AddressInfo).port;

  async function open(): Promise<Socket> {
    const opened = once(server, way.opened);
    const socket = way.open(port()).on('error', () => {});
    sockets.push(socket);
    await opened;
    return socket;
  }

  async function wait(): Promise<void> {
    const socket = await open();
    const asked = once(server, 'asked');
    socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked;
  }

  async function ask(): Promise<string> {
    return new Promise((resolve, reject) => {
      way
        .get({ port: port(), agent: false, rejectUnauthorized: false }, (answer) => {
          answer.setEncoding('utf8').on('data', resolve);
        })
        .on('error', reject);
    });
  }

  it('take the place of idle ones', async () => {
    for (let count = 0; count < 40; count += 1) await open();
    expect(await ask()).toBe('ordinary');
    expect(server.listenerCount('connection')).toBeGreaterThan(0);
    const count = await new Promise((resolve) => server.getConnections((_, n) => resolve(n)));
    expect(count).toBeLessThanOrEqual(16);
  });

  it('leave those alone that are being answered', async () => {
    for (let count = 0; count < 5; count += 1) await wait();
    for (let count = 0; count < 40; count += 1) await open();
    expect(waiting.map((response) => response.destroyed)).toEqual(Array(5).fill(false));
  });

  it('come into the reserve where all are busy, and never keep each other out of it', async () => {
    for (let count = 0; count < 12; count += 1) await wait();
    expect(await ask()).toBe('reserve');
    for (let count = 0; count < 20; count += 1) await open();
    expect(await ask()).toBe('reserve');
    expect(waiting.map((response) => response.destroyed)).toEqual(Array(12).fill(false));
  });

  it('end when the server stops, silent ones at once and others after their time', async () => {
    const clock = new ManualClock();
    await open();
    (await open()).write('GET /half');
    await wait();
    const left = waiting[0]!;
    const silent = sockets.slice(0, 2).map((socket) => once(socket, 'close'));
    server.close();
    rooms.close(clock);
    await Promise.all(silent);
    expect(left.destroyed).toBe(false);
    const stopped = once(server, 'close');
    await clock.advance(3_000);
    await stopped;
    expect(left.destroyed).toBe(true);
  });
});

describe('the number of connections', () => {
  it('leaves handles to everything else', () => {
    expect(connectionsFor(4_096)).toBe(3_840);
    expect(connectionsFor(100)).toBe(64);
    expect(connectionsFor(Infinity)).toBe(16_384);
  });

  it('follows what the system tells', () => {
    expect(handleLimit(() => 'Max open files            512    4096    files\n')).toBe(512);
    expect(handleLimit(() => 'Max open files    unlimited   unlimited  files\n')).toBe(Infinity);
    expect(handleLimit(() => '')).toBe(4_096);
    expect(handleLimit()).toBeGreaterThan(0);
  });
});
