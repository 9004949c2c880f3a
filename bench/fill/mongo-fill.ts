import { type Collection, MongoClient } from 'mongodb';
import type { Bench } from '../benchmark.js';
import { finishedAt, finishedId } from './finished-id.js';

type TaskDocument = Record<string, unknown> & { _id: string };

const BATCH = 1_000;
const WRITERS = 4;

/**
 * Fills a store with finished tasks: copies of one that really ran, written as the store would
 * write them. It ends when the time is over, so that the number it resolves to may be smaller than
 * the one asked for.
 */
export async function fillMongo(bench: Bench, database: { url: string; name: string }) {
  const client = await new MongoClient(database.url).connect();
  try {
    return await fill(client.db(database.name).collection<TaskDocument>('tasks'), bench);
  } finally {
    await client.close();
  }
}

async function fill(tasks: Collection<TaskDocument>, bench: Bench): Promise<number> {
  const template = await tasks.findOne({ status: 0, flow: 'bench-lab' });
  if (template === null) throw new Error('no task has finished in the store that is to be filled');
  const { fillMs, finishedOnServer: wanted } = bench.sizes;
  bench.say('  filling a store with finished tasks ...');
  const deadline = Date.now() + fillMs;
  let next = 0;
  let filled = 0;
  const write = async (): Promise<void> => {
    while (next < wanted && Date.now() < deadline) {
      const first = next;
      next = Math.min(wanted, first + BATCH);
      const copies = Array.from({ length: next - first }, (_, n) => copyOf(template, first + n));
      const { insertedCount } = await tasks.insertMany(copies, { ordered: false });
      filled += insertedCount;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return filled;
}

function copyOf(template: TaskDocument, n: number): TaskDocument {
  return { ...template, _id: finishedId(n), createdAt: new Date(finishedAt(n)) };
}
