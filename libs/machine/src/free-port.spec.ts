import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isFree, nextFreePort } from './free-port.js';

describe('a port', () => {
  const host = '127.0.0.1';
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    server.listen(0, host);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(async () => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  });

  it('is not free while something listens on it', async () => {
    expect(await isFree({ host, port })).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isFree({ host, port })).toBe(true);
  });

  it('that is taken has a free one behind it', async () => {
    const next = await nextFreePort({ host, port });
    expect(next).toBeGreaterThan(port);
    expect(await isFree({ host, port: next! })).toBe(true);
  });

  it('of an address that this machine does not have is nobody else’s', async () => {
    expect(await isFree({ host: '192.0.2.1', port })).toBe(true);
  });
});
