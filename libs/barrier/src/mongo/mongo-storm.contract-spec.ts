import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Db } from 'mongodb';
import { playStorm, type StormGate, SystemClock } from '#testing';
import { describeWith } from '../../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../../test/servers/index.js';
import { MongoBarrier } from './mongo-barrier.js';
import { type MongoConnection, openMongo } from './open-mongo.js';

const clock = new SystemClock();
const DIES = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(99));
const OPERATIONS = new Set(['countDocuments', 'findOne', 'findOneAndUpdate', 'updateOne']);

describeWith('the barrier on MongoDB in a storm', { servers: ['mongo'] }, () => {
  let server: MongoServer;
  let connection: MongoConnection;
  let tasks = 0;

  beforeAll(async () => {
    server = present(await startMongo());
    const url = new URL(server.url);
    url.pathname = `/storm_${process.pid}`;
    connection = await openMongo(url.href);
  }, 120_000);

  afterAll(async () => {
    await connection?.db.dropDatabase();
    await connection?.close();
    await server?.stop();
  });

  it('leaves one effect after success and none after a rollback', async () => {
    const plan = fc.record({
      forwards: fc.array(DIES, { maxLength: 4 }),
      rollbacks: fc.option(fc.array(DIES, { maxLength: 2 })),
      choices: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
    });
    const property = fc.asyncProperty(plan, async (storm) => {
      const taskId = `t${(tasks += 1)}`;
      const places = connection.db.collection<{ _id: string; n: number }>('places');
      const ids = [`${taskId}-0`, `${taskId}-1`];
      await places.insertMany(ids.map((_id) => ({ _id, n: 0 })));
      const barrierAt = (gate: StormGate) =>
        new MongoBarrier({ clock, collection: 'barrier', db: gated(connection.db, gate) });
      const attempt = (fencingToken: number) => ({ taskId, run: 's', fencingToken });
      const target = {
        // Attempts do not agree on where the effect goes.
        forward: (token: number, gate: StormGate) =>
          barrierAt(gate).forward(attempt(token), async (tx) => {
            const update = { $inc: { n: 1 } };
            const undo = { update: { $inc: { n: -1 } } };
            const { choices } = storm;
            const id = ids[(choices[token % choices.length] ?? 0) % 2] as string;
            await tx.place({ collection: 'places', id, update, undo });
            return null;
          }),
        rollback: (token: number, gate: StormGate) =>
          barrierAt(gate).rollback(attempt(token), (tx) => tx.takeBack()),
        count: async () => {
          const found = await places.find({ _id: { $in: ids } }).toArray();
          return found.reduce((sum, { n }) => sum + n, 0);
        },
      };
      await playStorm(target, storm);
    });
    await fc.assert(property, { numRuns: 250 });
  }, 120_000);

  it('an effect that the driver had to send twice is found, and made nowhere else', async () => {
    const taskId = `t${(tasks += 1)}`;
    const places = connection.db.collection<{ _id: string; n: number }>('places');
    const ids = [`${taskId}-p`, `${taskId}-q`];
    await places.insertMany(ids.map((_id) => ({ _id, n: 0 })));
    const db = sentTwice(connection.db, 'places');
    const barrier = new MongoBarrier({ clock, collection: 'barrier', db });
    const attempt = (fencingToken: number) => ({ taskId, run: 's', fencingToken });
    await barrier.forward(attempt(1), async (tx) => {
      const update = { $inc: { n: 1 } };
      const undo = { update: { $inc: { n: -1 } } };
      for (const id of ids) {
        if (await tx.place({ collection: 'places', id, update, undo })) break;
      }
      return null;
    });
    const found = await places.find({ _id: { $in: ids } }).toArray();
    expect(found.map(({ n }) => n)).toEqual([1, 0]);
    await barrier.rollback(attempt(2), (tx) => tx.takeBack());
    const after = await places.find({ _id: { $in: ids } }).toArray();
    expect(after.map(({ n }) => n)).toEqual([0, 0]);
  });

  const newStep = async () => {
    const taskId = `t${(tasks += 1)}`;
    const places = connection.db.collection<{ _id: string; n: number }>('places');
    await places.insertMany(['p', 'q'].map((place) => ({ _id: `${taskId}-${place}`, n: 0 })));
    const barrier = (stop?: Stop) => {
      const db = stop === undefined ? connection.db : gated(connection.db, stop.gate);
      return new MongoBarrier({ clock, collection: 'barrier', db });
    };
    const at = (fencingToken: number) => ({ taskId, run: 's', fencingToken });
    return {
      forward: (token: number, place: 'p' | 'q', stop?: Stop) =>
        barrier(stop).forward(at(token), async (tx) => {
          const undo = { update: { $inc: { n: -1 } } };
          const id = `${taskId}-${place}`;
          await tx.place({ collection: 'places', id, update: { $inc: { n: 1 } }, undo });
          return null;
        }),
      rollback: (token: number) => barrier().rollback(at(token), (tx) => tx.takeBack()),
      counts: async () => {
        const found = places.find({ _id: { $regex: `^${taskId}-` } }).sort({ _id: 1 });
        return (await found.toArray()).map(({ n }) => n);
      },
    };
  };

  it('an attempt that wakes where a newer one was done and undone changes nothing', async () => {
    const { counts, forward, rollback } = await newStep();
    const stop = new Stop('places.updateOne', 1);
    const first = forward(1, 'p', stop);
    await stop.reached;
    await forward(2, 'p');
    await rollback(3);
    stop.release();
    await expect(first).rejects.toMatchObject({ name: 'StaleToken' });
    expect(await counts()).toEqual([0, 0]);
  });

  it('an attempt that wakes where it had kept out an older one changes nothing', async () => {
    const { counts, forward, rollback } = await newStep();
    const stops = [new Stop('places.updateOne', 1), new Stop('places.updateOne', 2)] as const;
    const first = forward(1, 'p', stops[0]);
    await stops[0].reached;
    // Its first update is the mark against the first attempt, its second one the effect.
    const second = forward(2, 'p', stops[1]);
    await stops[1].reached;
    await forward(3, 'q');
    stops[1].release();
    await expect(second).rejects.toMatchObject({ name: 'StaleToken' });
    expect(await counts()).toEqual([0, 1]);
    await rollback(4);
    stops[0].release();
    await expect(first).rejects.toMatchObject({ name: 'StaleToken' });
    expect(await counts()).toEqual([0, 0]);
  });
});

/** Stops an attempt before it does something for the nth time. */
class Stop {
  readonly reached: Promise<void>;
  release: () => void = () => undefined;
  private arrive: () => void = () => undefined;
  private readonly freed = new Promise<void>((resolve) => (this.release = resolve));
  private seen = 0;

  constructor(
    private readonly operation: string,
    private readonly nth: number,
  ) {
    this.reached = new Promise((resolve) => (this.arrive = resolve));
  }

  readonly gate = async (operation: string): Promise<void> => {
    if (operation !== this.operation || ++this.seen !== this.nth) return;
    this.arrive();
    await this.freed;
  };
}

/** A database whose every operation waits at a gate. */
function gated(db: Db, gate: (operation: string) => Promise<void>): Db {
  const collection = (name: string) =>
    new Proxy(db.collection(name), {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        if (!OPERATIONS.has(String(member))) return value.bind(target) as unknown;
        return async (...args: unknown[]): Promise<unknown> => {
          await gate(`${name}.${String(member)}`);
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  return { collection } as unknown as Db;
}

/** A database to which the driver sends every update of a collection twice, the answer lost. */
function sentTwice(db: Db, of: string): Db {
  const collection = (name: string) =>
    new Proxy(db.collection(name), {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        if (name !== of || member !== 'updateOne') return value.bind(target) as unknown;
        return async (...args: unknown[]): Promise<unknown> => {
          await Reflect.apply(value, target, args);
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  return { collection } as unknown as Db;
}
