import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../../test/servers/index.js';
import { TcpProxy } from '../../../../test/servers/tcp-proxy.js';
import { openMongo, orUnavailable } from './open-mongo.js';

const LIMIT_MS = 3_000;
/** The only socket needs 16 s for all calls, at least: most of them wait longer than they may. */
const DELAY_MS = 100;
const CALLS = 80;

describeWith("a participant's connection to MongoDB", { servers: ['mongo'] }, () => {
  let server: MongoServer;
  let proxy: TcpProxy;

  beforeAll(async () => {
    server = present(await startMongo());
    proxy = await TcpProxy.openBefore(server.url);
  }, 120_000);

  afterAll(async () => {
    await proxy?.close();
    await server?.stop();
  });

  it('tells who waits too long for a socket that the server is away', async () => {
    const url = new URL(proxy.through(server.url));
    url.searchParams.set('maxPoolSize', '1');
    const connection = await openMongo(url.href, LIMIT_MS);
    try {
      const ask = (): Promise<unknown> => orUnavailable(connection.db.command({ ping: 1 }));
      await ask();
      proxy.set({ delayMs: DELAY_MS });
      const results = await Promise.allSettled(Array.from({ length: CALLS }, ask));
      const refused = results.flatMap((result) => {
        return result.status === 'rejected' ? [result.reason as Error] : [];
      });
      expect(refused.length).toBeGreaterThan(0);
      expect(new Set(refused.map(({ name }) => name))).toEqual(new Set(['StoreUnavailable']));
    } finally {
      await connection.close();
    }
  }, 60_000);
});
