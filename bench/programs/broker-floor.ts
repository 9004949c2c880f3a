/**
 * The distributed floor: amqplib and the MongoDB driver as their manuals use them. A task is one
 * insert, and per step a message, a claim and an outcome: nine writes and four messages.
 * `FLOOR_QUEUE`: an executor of that queue; without it, the gateway.
 */
import { connect, type ConsumeMessage } from 'amqplib';
import { MongoClient } from 'mongodb';
import { FLOOR_QUEUES, type FloorMessage, publisherOn } from '../floors/broker-floor.js';
import { floorState, newFloorTask } from '../floors/floor-task.js';
import { type Drive, Pump } from '../pump.js';
import { serve, tell } from '../serve.js';
import { PARAMETERS, STEPS } from '../sizes.js';
import { addStamp, monotonicUs, takeStamps } from './bench-module.js';

const { FLOOR_AMQP_URL = '', FLOOR_MONGODB_URL = '', FLOOR_QUEUE } = process.env;
const PREFETCH = 64;
const writeConcern = { w: 'majority', j: true } as const;

const client = await new MongoClient(FLOOR_MONGODB_URL, { maxPoolSize: 16 }).connect();
const tasks = client.db('floor').collection<{ _id: string; revision: number }>('tasks');
const channel = await (await connect(FLOOR_AMQP_URL)).createConfirmChannel();
for (const queue of new Set(FLOOR_QUEUES)) {
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
}
const publish = publisherOn(channel);
const pump = new Pump(submit);
let finished = 0;

if (FLOOR_QUEUE !== undefined) {
  await channel.prefetch(PREFETCH);
  await channel.consume(FLOOR_QUEUE, (message) => {
    if (message !== null) void runStep(message);
  });
}

serve({
  drive: (drive: Drive) => pump.run(drive),
  finished: (count: number) => pump.finished(count),
  stamps: takeStamps,
  stop: () => undefined,
});

async function submit(): Promise<void> {
  const { document, taskId } = newFloorTask();
  const task = { _id: taskId, revision: 1, status: 1, state: floorState(0), document };
  await tasks.insertOne(task, { writeConcern });
  await publish(FLOOR_QUEUES[0], stepMessage(taskId, 0));
}

async function runStep(message: ConsumeMessage): Promise<void> {
  const { step = 0, taskId } = JSON.parse(message.content.toString()) as FloorMessage;
  const revision = 2 * step + 1;
  await update(taskId, revision, { status: 2, owner: FLOOR_QUEUE, until: Date.now() + 10_000 });
  addStamp(taskId, step, monotonicUs());
  await update(taskId, revision + 1, { state: floorState(step + 1), owner: null });
  if (step + 1 < STEPS) await publish(FLOOR_QUEUES[step + 1]!, stepMessage(taskId, step + 1));
  else noteFinished();
  channel.ack(message);
}

async function update(taskId: string, revision: number, fields: object): Promise<void> {
  const change = { $set: { ...fields, revision: revision + 1 } };
  const { matchedCount } = await tasks.updateOne({ _id: taskId, revision }, change, {
    writeConcern,
  });
  if (matchedCount !== 1) throw new Error(`${taskId} is not at revision ${revision}`);
}

function stepMessage(taskId: string, step: number): FloorMessage & { parameters: unknown } {
  return { taskId, step, parameters: PARAMETERS };
}

function noteFinished(): void {
  finished += 1;
  if (finished > 1) return;
  setTimeout(() => {
    tell({ finished });
    finished = 0;
  }, 1);
}
