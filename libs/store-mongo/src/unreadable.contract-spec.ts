import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { isUnreadable } from '#ports';
import {
  type BreakableStore,
  FakeEntropy,
  RecordingObserver,
  sampleTask,
  SystemClock,
  unreadableContract,
} from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { openMongoStore } from './index.js';

/** Ways to break a document: what is set, and what is removed. */
const WAYS: Readonly<Record<string, Document>> = {
  'parameters that are not JSON': { $set: { 'plan.parameters': '{' } },
  'parameters that are a number': { $set: { 'plan.parameters': 7 } },
  'plan of a newer format': { $set: { 'plan.v': 2 } },
  'plan that is not there': { $unset: { plan: 1 } },
  'run that is a text': { $set: { 'steps.0.normal': '{"a"' } },
  'state name that is unknown': { $set: { 'steps.0.state': 'dreaming' } },
  'running without a lease': { $set: { 'steps.0.state': 'running' } },
  'fewer runs than steps': { $pop: { steps: 1 } },
  'runs that are a text': { $set: { steps: 'none' } },
  'journal entry that is a text': { $set: { 'journal.0': 'created' } },
  'journal without times': { $unset: { 'journal.0.at': 1 } },
  'steps that are not JSON': { $set: { 'plan.steps': '[', 'plan.stepsHash': 'another' } },
  'direction that is unknown': { $set: { way: 'sideways' } },
  'status that its fields do not make': { $set: { status: 3 } },
  'status that is unknown': { $set: { status: 42 } },
  'revision that is a text': { $set: { revision: 'new' } },
  'live without a wake-up': { $unset: { wakeAt: 1 } },
  'created at no time': { $unset: { createdAt: 1 } },
  'labels that are an object': { $set: { labels: { team: 'db' } } },
};

const TRIED_AGAIN_MS = 10_000;

/** The machine's time, which a test may put forward. */
class PushedClock extends SystemClock {
  ahead = 0;

  override monotonic(): number {
    return super.monotonic() + this.ahead;
  }
}

describeWith('MongoDB store, documents broken by hand', { servers: ['mongo'] }, () => {
  const entropy = new FakeEntropy();
  let server: MongoServer;
  let client: MongoClient;

  beforeAll(async () => {
    server = present(await startMongo());
    client = new MongoClient(server.url);
  }, 120_000);

  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  const open = async (): Promise<BreakableStore> => {
    const database = `backstep_${sampleTask().plan.taskId}`;
    const documents = client.db(database).collection<{ _id: string }>('tasks');
    const saved = new Map<string, Document>();
    const clock = new PushedClock();
    const observer = new RecordingObserver();
    const newMark = (): string => entropy.newId();
    const random = (): number => entropy.random();
    const options = { url: server.url, database, clock, observer, newMark, random };
    const tasks = await openMongoStore(options);
    const store: BreakableStore = {
      tasks,
      observer,
      async breakTask(taskId, way) {
        const filter = taskId === '*' ? { labels: 'crowd=yes' } : { _id: taskId };
        if (taskId !== '*') saved.set(taskId, (await documents.findOne(filter))!);
        await documents.updateMany(filter, WAYS[way]!);
        return store;
      },
      async mend() {
        for (const [_id, document] of saved) await documents.replaceOne({ _id }, document);
        // A document that cannot be read is left alone for a while.
        clock.ahead += TRIED_AGAIN_MS + 1;
        return store;
      },
      async dispose() {
        await tasks.close();
        await client.db(database).dropDatabase();
      },
    };
    return store;
  };

  unreadableContract(open, Object.keys(WAYS));

  it('a list alone finds what is broken, also in what it does not show', async () => {
    const { breakTask, dispose, tasks } = await open();
    const [broken, sound] = [sampleTask(), sampleTask()];
    await Promise.all([tasks.insert(broken), tasks.insert(sound)]);
    await breakTask(broken.plan.taskId, 'parameters that are not JSON');
    const { items } = await tasks.list({ limit: 10 });
    expect(items.filter(isUnreadable)).toEqual([
      { taskId: broken.plan.taskId, reason: 'plan.parameters is not an object' },
    ]);
    expect(items).toHaveLength(2);
    await dispose();
  });
});
