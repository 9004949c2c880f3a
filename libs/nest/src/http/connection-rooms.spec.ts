import { once } from 'node:events';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectionRooms } from './connection-rooms.js';
import { connectionsFor, handleLimit } from './file-handles.js';

let server: Server;
let rooms: ConnectionRooms;
let waiting: ServerResponse[];
let sockets: Socket[];

beforeEach(async () => {
  waiting = [];
  sockets = [];
  // Of 16 two are the reserve, and two are for those that are on their way out.
  rooms = new ConnectionRooms({ connections: 16, perAddress: Infinity });
  server = createServer((request, response) => {
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
  const socket = connect(port(), '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(server, 'connection');
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
    get({ port: port(), agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', resolve);
    }).on('error', reject);
  });
}

describe('connections beyond the room there is', () => {
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
