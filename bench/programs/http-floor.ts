/**
 * The floor of HTTP: bare Fastify routes that do the same store work. `FLOOR_MONGODB_URL`: on that
 * server, by plain driver calls; else embedded, with group commit.
 */
import { connect } from 'amqplib';
import Fastify from 'fastify';
import { MongoClient } from 'mongodb';
import { type FloorDocument, floorState, newFloorTask } from '../floors/floor-task.js';
import { SqliteFloor } from '../floors/sqlite-floor.js';
import { publisherOn } from '../floors/broker-floor.js';
import { serve } from '../serve.js';

interface FloorStore {
  insert(taskId: string, document: FloorDocument): Promise<unknown>;
  get(taskId: string): Promise<string | undefined> | string | undefined;
  list(limit: number): Promise<string> | string;
}

const QUEUE = 'floor.parked';
let waits = 0;
const JSON_TYPE = 'application/json; charset=utf-8';
const { FLOOR_AMQP_URL, FLOOR_MONGODB_URL } = process.env;
const store = FLOOR_MONGODB_URL ? await onServer(FLOOR_MONGODB_URL) : embedded();

const app = Fastify();
app.post('/v1/tasks', async (request, reply) => {
  const { parameters } = request.body as Pick<FloorDocument, 'parameters'>;
  const { document, taskId } = newFloorTask();
  await store.insert(taskId, { ...document, parameters });
  return reply.code(201).send({ taskId, status: 'not_started' });
});
app.get('/v1/tasks/:taskId', async (request, reply) => {
  const { taskId } = request.params as { taskId: string };
  return reply.type(JSON_TYPE).send(await store.get(taskId));
});
app.get('/v1/tasks', async (request, reply) => {
  const { limit } = request.query as { limit: string };
  return reply.type(JSON_TYPE).send(await store.list(Number(limit)));
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });

function noteWait(): void {
  waits += 1;
}

serve({ seed, waits: () => waits, url: () => url, stop: () => app.close() });

async function seed(count: number): Promise<readonly string[]> {
  const made = Array.from({ length: count }, newFloorTask);
  await Promise.all(made.map(({ document, taskId }) => store.insert(taskId, document)));
  return made.map(({ taskId }) => taskId);
}

function embedded(): FloorStore {
  const sqlite = new SqliteFloor('http-floor.db');
  const state = JSON.stringify(floorState(0));
  return {
    insert: async (taskId, document) => {
      const row = await sqlite.insert(taskId, JSON.stringify(document), state);
      // Ours notes that the first step waits; nobody waits for that.
      void sqlite.update(row, 2, state).then(noteWait);
    },
    get: (taskId) => sqlite.get(taskId),
    list: (limit) => sqlite.list(limit),
  };
}

async function onServer(mongoUrl: string): Promise<FloorStore> {
  const client = await new MongoClient(mongoUrl, { maxPoolSize: 16 }).connect();
  const tasks = client.db('floor').collection<{ _id: string; revision: number }>('http_tasks');
  const writeConcern = { w: 'majority', j: true } as const;
  const channel = await (await connect(FLOOR_AMQP_URL!)).createConfirmChannel();
  await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const publish = publisherOn(channel);
  const startStep = async (taskId: string): Promise<void> => {
    await publish(QUEUE, { taskId });
    for (const revision of [1, 2]) {
      const change = { $set: { revision: revision + 1 } };
      await tasks.updateOne({ _id: taskId, revision }, change, { writeConcern });
    }
  };
  return {
    insert: async (taskId, document) => {
      const task = { _id: taskId, revision: 1, state: floorState(0), document };
      await tasks.insertOne(task, { writeConcern });
      // Ours sends the first step, claims it and notes that it waits; nobody waits for that.
      void startStep(taskId).then(noteWait, noteWait);
    },
    get: async (taskId) => JSON.stringify(await tasks.findOne({ _id: taskId })),
    list: async (limit) => {
      const items = await tasks.find().sort({ _id: -1 }).limit(limit).toArray();
      return JSON.stringify({ items });
    },
  };
}
