import { afterAll, beforeAll } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import {
  FakeEntropy,
  type MarkableStore,
  RecordingObserver,
  sampleTask,
  SystemClock,
  writesContract,
} from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { openMongoStore } from './index.js';

describeWith('MongoDB store, what a commit writes', { servers: ['mongo'] }, () => {
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

  writesContract(async () => {
    const database = `backstep_${sampleTask().plan.taskId}`;
    const documents = client.db(database).collection<Document & { _id: string }>('tasks');
    const tasks = await openMongoStore({
      url: server.url,
      database,
      clock: new SystemClock(),
      observer: new RecordingObserver(),
      newMark: () => entropy.newId(),
      random: () => entropy.random(),
    });
    const listsOf = async (
      _id: string,
    ): Promise<Readonly<Record<'steps' | 'scopes', Document[]>>> =>
      (await documents.findOne({ _id })) as never;
    const store: MarkableStore = {
      tasks,
      async mark(_id) {
        const { scopes, steps } = await listsOf(_id);
        const begun = Array.from(steps.keys()).filter((n) => steps[n]?.['normal'] !== undefined);
        const marks = [
          ...begun.map((n) => [`steps.${n}.mark`, 1] as const),
          ...scopes.map((_, n) => [`scopes.${n}.mark`, 1] as const),
        ];
        await documents.updateOne({ _id }, { $set: Object.fromEntries(marks) });
        return store;
      },
      async marked(_id) {
        const { scopes, steps } = await listsOf(_id);
        const numbers = Array.from(scopes.keys()).filter((n) => scopes[n]?.['mark'] === 1);
        const marked = steps.filter(({ mark }) => mark === 1);
        return [{ scopes: numbers, runs: marked.length }, store] as const;
      },
      async dispose() {
        await tasks.close();
        await client.db(database).dropDatabase();
      },
    };
    return store;
  });
});
