import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TcpProxy } from './tcp-proxy.js';
import type { ProxiedConnection } from './tcp-proxy.js';

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  readonly proxied: ProxiedConnection;
}

let listener: Server;
let proxy: TcpProxy;
const sockets: Socket[] = [];

describe('a TCP proxy', () => {
  beforeEach(async () => {
    listener = createServer({ allowHalfOpen: true, noDelay: true });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    proxy = await TcpProxy.open({ port: (listener.address() as AddressInfo).port });
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await proxy.close();
    listener.close();
    await once(listener, 'close');
  });

  it('passes everything on, in order, and the end of each stream', async () => {
    const { client, server, proxied } = await open(false);
    const sent = randomBytes(5 << 20);
    const received = createHash('sha256');
    server.on('data', (chunk) => received.update(chunk));
    client.end(sent);
    await once(server, 'end');
    expect(received.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
    expect(proxied.bytesUp).toBe(sent.length);
    server.end('that was all');
    expect(await hear(client, 12)).toBe('that was all');
    await once(client, 'close');
  });

  it('delays every byte', async () => {
    const line = await open();
    proxy.set({ delayMs: 60 });
    const started = performance.now();
    expect(await ask(line, 'question')).toBe('question');
    expect(performance.now() - started).toBeGreaterThan(115);
  });

  it('is a slow line', async () => {
    const line = await open(false);
    proxy.set({ bytesPerSecond: 10_000 });
    const started = performance.now();
    line.client.write(randomBytes(2_000));
    await hear(line.server, 2_000);
    expect(performance.now() - started).toBeGreaterThan(195);
  });

  it('resets both ends when it cuts, and whoever comes then', async () => {
    const { client, server } = await open();
    const ends = [resetOf(client), resetOf(server)];
    proxy.set('cut');
    expect(await Promise.all(ends)).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(proxy.connections).toEqual([]);
    expect(await resetOf(dial())).toBe('ECONNRESET');
    proxy.set('pass');
    expect(await ask(await open(), 'again')).toBe('again');
  });

  it('tells one end that the other was reset', async () => {
    const { client, server } = await open();
    const told = resetOf(client);
    server.resetAndDestroy();
    expect(await told).toBe('ECONNRESET');
  });

  it('resets a client when nothing listens behind it', async () => {
    listener.close();
    await once(listener, 'close');
    expect(await resetOf(dial())).toBe('ECONNRESET');
    listener.listen(0, '127.0.0.1');
  });

  it('ends the stream to the client and still carries what the client sends', async () => {
    const { client, server, proxied } = await open();
    const ended = once(client, 'end');
    proxied.set('half-close');
    client.resume();
    await ended;
    client.write('are you there?');
    expect(await hear(server, 14)).toBe('are you there?');
  });

  it.each(['hole-up', 'hole'] as const)(
    'lets nothing up through a %s until it ends',
    async (mode) => {
      const [broken, whole] = [await open(false), await open()];
      broken.proxied.set(mode);
      const arrival = once(proxy, 'arrival');
      broken.client.write('lost?');
      await arrival;
      await roundTrips(whole);
      expect(broken.server.bytesRead).toBe(0);
      broken.proxied.set('pass');
      expect(await hear(broken.server, 5)).toBe('lost?');
    },
  );

  it.each(['hole-down', 'hole'] as const)('lets nothing down through a %s', async (mode) => {
    const [broken, whole] = [await open(false), await open()];
    proxy.set(mode);
    whole.proxied.set('pass');
    const arrival = once(proxy, 'arrival');
    broken.server.write('lost?');
    await arrival;
    await roundTrips(whole);
    expect(broken.client.bytesRead).toBe(0);
    proxy.set('cut');
    expect(await resetOf(broken.client)).toBe('ECONNRESET');
    expect(broken.client.bytesRead).toBe(0);
  });

  it('leaves the other direction of a hole as it is', async () => {
    const { client, server, proxied } = await open(false);
    proxied.set('hole-down');
    client.write('up');
    expect(await hear(server, 2)).toBe('up');
    proxied.set('hole-up');
    server.write('down');
    expect(await hear(client, 4)).toBe('down');
  });

  it('keeps from the server in a hole that the client is gone', async () => {
    const [broken, whole] = [await open(false), await open()];
    broken.proxied.set('hole');
    const ended = once(broken.server, 'end');
    broken.client.end();
    await roundTrips(whole);
    expect(broken.server.readableEnded).toBe(false);
    broken.proxied.set('pass');
    broken.server.resume();
    await ended;
  });

  it('asks before bytes go on, so that a certain message can be the last', async () => {
    const { client, server } = await open();
    proxy.on('arrival', ({ connection, direction, chunk }) => {
      if (direction === 'down' && chunk.includes('yes')) connection.set('cut');
    });
    client.write('yes');
    expect(await resetOf(client)).toBe('ECONNRESET');
    expect([server.bytesRead, client.bytesRead]).toEqual([3, 0]);
  });

  it('keeps what it cannot deliver with the sender, beyond a limit', async () => {
    const { client, proxied } = await open(false);
    proxied.set('hole-up');
    const chunk = Buffer.alloc(1 << 20);
    for (let sent = 0; sent < 64; sent += 1) client.write(chunk);
    await roundTrips(await open());
    expect(proxied.bytesUp).toBeLessThan(3 << 20);
  });

  it('breaks off in the middle of what is sent next, in either direction', async () => {
    const [up, down] = [await open(false), await open(false)];
    proxy.set('truncate');
    const resets = [resetOf(up.client), resetOf(down.server)];
    const heard = [hear(up.server, 4), hear(down.client, 2)];
    up.client.write('halfhalf');
    down.server.write('half');
    expect(await Promise.all(heard)).toEqual(['half', 'ha']);
    expect(await Promise.all(resets)).toEqual(['ECONNRESET', 'ECONNRESET']);
    proxy.set('pass');
    expect(await ask(await open(), 'again')).toBe('again');
  });

  it('delivers at once what waits on a slow line when the line is mended', async () => {
    const { client, server, proxied } = await open(false);
    proxied.set({ bytesPerSecond: 1 });
    const arrival = once(proxy, 'arrival');
    client.write('a minute would not do for this much');
    await arrival;
    proxied.set('pass');
    expect(await hear(server, 35)).toBe('a minute would not do for this much');
  }, 240_000);

  it('stands in the same URL, where a driver does not go around it', () => {
    expect(proxy.through('amqp://guest:guest@127.0.0.1:5672/v')).toBe(
      `amqp://guest:guest@127.0.0.1:${proxy.port}/v`,
    );
    expect(proxy.through('mongodb://127.0.0.1:27017/db')).toBe(
      `mongodb://127.0.0.1:${proxy.port}/db?directConnection=true`,
    );
  });
});

function dial(): Socket {
  const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
  return kept(client);
}

/** Keeps a socket and ignores its errors: faults that a test makes show as errors at both ends. */
function kept(socket: Socket): Socket {
  sockets.push(socket);
  return socket.on('error', () => undefined);
}

/** A connection from end to end; the server echoes unless it is told otherwise. */
async function open(echoes = true): Promise<Line> {
  const accepted = once(listener, 'connection') as Promise<[Socket]>;
  const proxied = once(proxy, 'connection') as Promise<[ProxiedConnection]>;
  const client = dial();
  const server = kept((await accepted)[0]);
  if (echoes) server.on('data', (chunk) => server.write(chunk));
  return { client, server, proxied: (await proxied)[0] };
}

async function ask({ client }: Line, question: string): Promise<string> {
  client.write(question);
  return hear(client, question.length);
}

/** Whole round trips on another line: time for anything that would get through by mistake. */
async function roundTrips(line: Line): Promise<void> {
  for (let trip = 0; trip < 20; trip += 1) await ask(line, 'there and back');
}

/** Resolves when a number of bytes have come. */
function hear(socket: Socket, length: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const listen = (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      if (heard.length < length) return;
      socket.off('data', listen);
      socket.off('close', fail);
      resolve(heard);
    };
    const fail = () => reject(new Error(`closed after ${heard.length} of ${length} bytes`));
    socket.on('data', listen);
    socket.once('close', fail);
  });
}

async function resetOf(socket: Socket): Promise<string | undefined> {
  socket.resume();
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  return error.code;
}
