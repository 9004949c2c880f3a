import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo, TcpProxy } from '../../../test/servers/index.js';
import { inventoryContract } from './inventory-suite-spec.js';
import { openMongoInventory } from './mongo-inventory.js';

const clock = new SystemClock();
let databases = 0;

describeWith('the inventory on MongoDB', { servers: ['mongo'] }, () => {
  let server: MongoServer;

  beforeAll(async () => {
    server = present(await startMongo());
  }, 240_000);

  afterAll(async () => {
    await server?.stop();
  });

  inventoryContract('MongoDB', async (hosts) => {
    const url = new URL(server.url);
    url.pathname = `/inventory_${process.pid}_${(databases += 1)}`;
    return {
      open: () => openMongoInventory({ clock, hosts, url: url.href }),
      remove: async () => {
        const client = new MongoClient(url.href);
        await client.db().dropDatabase();
        await client.close();
      },
    };
  });

  // The driver looks for a server for ten seconds before it says that there is none.
  it('says so while its server is away, and then goes on with the next attempt', async () => {
    const proxy = await TcpProxy.openBefore(server.url);
    const url = new URL(proxy.through(server.url));
    url.pathname = `/inventory_${process.pid}_${(databases += 1)}`;
    const hosts = [{ host: 'a', cpu: 4, memory: 8, storage: 100 }];
    const inventory = await openMongoInventory({ clock, hosts, url: url.href });
    const size = { cpu: 1, memory: 1, storage: 1 };
    const demand = { instances: ['i'], preferred: null, size };
    const context = { taskId: 't', run: 's', fencingToken: 1 };
    try {
      proxy.set('cut');
      const asked = [inventory.take(context, demand), inventory.findRoom(size)];
      for (const answer of [...asked, inventory.listHosts()]) {
        await expect(answer).rejects.toThrow(StoreUnavailable);
      }
      proxy.set('pass');
      const again = await inventory.take({ ...context, fencingToken: 2 }, demand);
      expect(again.map(({ host }) => host)).toEqual(['a']);
      expect((await inventory.listHosts())[0]?.cpu.free).toBe(3);
    } finally {
      await inventory.close();
      await proxy.close();
    }
  }, 240_000);
});
