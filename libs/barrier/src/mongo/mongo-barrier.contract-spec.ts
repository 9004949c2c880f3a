import { afterAll, beforeAll } from '@jest/globals';
import type { BarrierContext } from '#ports';
import { barrierContract, SystemClock } from '#testing';
import { describeWith } from '../../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../../test/servers/index.js';
import { MongoBarrier } from './mongo-barrier.js';
import { type MongoConnection, openMongo } from './open-mongo.js';

const clock = new SystemClock();
let databases = 0;

describeWith('the barrier on MongoDB', { servers: ['mongo'] }, () => {
  let server: MongoServer;

  beforeAll(async () => {
    server = present(await startMongo());
  }, 120_000);

  afterAll(async () => {
    await server?.stop();
  });

  barrierContract('MongoDB', async () => {
    const url = new URL(server.url);
    url.pathname = `/barrier_${process.pid}_${(databases += 1)}`;
    const opened: MongoConnection[] = [];
    const open = async () => {
      const connection = await openMongo(url.href);
      opened.push(connection);
      return connection.db;
    };
    const db = await open();
    const effects = db.collection<{ _id: string; n: number }>('effects');
    const idOf = ({ taskId, run }: BarrierContext) => `${taskId}/${run}`;
    return {
      barrier: new MongoBarrier({ clock, collection: 'barrier', db }),
      apply: async (tx, context) => {
        const _id = idOf(context);
        await effects.updateOne({ _id }, { $setOnInsert: { n: 0 } }, { upsert: true });
        const undo = { update: { $inc: { n: -1 } } };
        await tx.place({ collection: 'effects', id: _id, update: { $inc: { n: 1 } }, undo });
      },
      revert: (tx) => tx.takeBack(),
      count: async (context) => (await effects.findOne({ _id: idOf(context) }))?.n ?? 0,
      openAnother: async () => new MongoBarrier({ clock, collection: 'barrier', db: await open() }),
      dispose: async () => {
        await db.dropDatabase();
        for (const connection of opened) await connection.close();
      },
    };
  });
});
