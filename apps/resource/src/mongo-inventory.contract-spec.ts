import { afterAll, beforeAll } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { inventoryContract } from './inventory-suite-spec.js';
import { openMongoInventory } from './mongo-inventory.js';

const clock = new SystemClock();
let databases = 0;

describeWith('the inventory on MongoDB', { servers: ['mongo'] }, () => {
  let server: MongoServer;

  beforeAll(async () => {
    server = present(await startMongo());
  }, 120_000);

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
});
