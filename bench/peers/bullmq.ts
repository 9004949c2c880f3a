/**
 * BullMQ as its users would do this: the whole task is one job, with durable progress after every
 * step. `PEER_REDIS_URL` says where, `PEER_CONCURRENCY` how many at a time.
 */
import { Queue, Worker } from 'bullmq';
import { floorState } from '../floors/floor-task.js';
import { type Drive, Pump } from '../pump.js';
import { serve } from '../serve.js';
import { PARAMETERS, STEPS } from '../sizes.js';

const { PEER_CONCURRENCY, PEER_REDIS_URL = '' } = process.env;
const { hostname: host, port } = new URL(PEER_REDIS_URL);
const connection = { host, port: Number(port) };

const queue = new Queue('tasks', { connection });
const worker = new Worker(
  'tasks',
  async (job) => {
    for (let step = 1; step <= STEPS; step += 1) {
      await job.updateProgress({ step, state: floorState(step) });
    }
  },
  { connection, concurrency: Number(PEER_CONCURRENCY) },
);
const pump = new Pump(() => queue.add('task', PARAMETERS));
worker.on('completed', () => pump.finished(1));
await worker.waitUntilReady();

serve({
  drive: (drive: Drive) => pump.run(drive),
  stop: async () => {
    await worker.close();
    await queue.close();
  },
});
