import { type Collection, MongoClient } from 'mongodb';
import type { Bench } from '../benchmark.js';
import { finishedAt, finishedId } from './finished-id.js';

type TaskDocument = Record<string, unknown> & { _id: string };

const BATCH = 1_000;
const WRITERS = 4;

/**
 * Fills a store with finished tasks: copies of one that really ran, written as the store would
 * write them. What was filled before counts; it ends when the time is over, so that the number it
 * resolves to may be smaller than the one asked for.
 */
export async function fillMongo(bench: Bench, database: { url: string; name: string }) {
  const client = await new MongoClient(database.url).connect();
  try {
    const tasks = client.db(database.name).collection<TaskDocument>('tasks');
    // What the run before has left unfinished would come due.
    await tasks.deleteMany({ flow: 'bench-parked' });
    return await fill(tasks, bench);
  } finally {
    await client.close();
  }
}

async function fill(tasks: Collection<TaskDocument>, bench: Bench): Promise<number> {
  const template = await tasks.findOne({ status: 0, flow: 'bench-lab' });
  if (template === null) throw new Error('no task has finished in the store that is to be filled');
  const { fillMs, finishedOnServer: wanted } = bench.sizes;
  const deadline = Date.now() + fillMs;
  // Ids are given in order, and a batch is stored or not, but for the last ones of a killed run.
  let next = await countFilled(tasks);
  if (next < wanted)
    bench.say(`  filling a store from ${next.toLocaleString('en-US')} tasks on ...`);
  const write = async (): Promise<void> => {
    while (next < wanted && Date.now() < deadline) {
      const first = next;
      next = Math.min(wanted, first + BATCH);
      const copies = Array.from({ length: next - first }, (_, n) => copyOf(template, first + n));
      await tasks.insertMany(copies, { ordered: false }).catch(ignoreDuplicates);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return next;
}

/** The newest filled task tells, less what may be missing of the batches before it. */
async function countFilled(tasks: Collection<TaskDocument>): Promise<number> {
  const behind = { _id: { $lt: finishedId(10 ** 9) } };
  const [newest] = await tasks.find(behind).sort({ _id: -1 }).limit(1).toArray();
  if (newest === undefined) return 0;
  const last = Number.parseInt(newest._id.slice(-12), 16) + 1;
  return Math.max(0, last - WRITERS * BATCH);
}

function copyOf(template: TaskDocument, n: number): TaskDocument {
  return { ...template, _id: finishedId(n), createdAt: new Date(finishedAt(n)) };
}

function ignoreDuplicates(error: unknown): void {
  const { code } = error as { code?: unknown };
  if (code !== DUPLICATE_KEY) throw error;
}

const DUPLICATE_KEY = 11_000;
