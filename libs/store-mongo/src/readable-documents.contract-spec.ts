import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { type ActionRun, NOTHING_TO_UNDO, type Task } from '#core';
import { eventfulTask, FakeEntropy, RecordingObserver, sampleTask, SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { type MongoStore, openMongoStore } from './index.js';

const PAGE = new URL('../../../docs/run-distributed.md', import.meta.url);

/** The sample with changes of its steps. */
function withSteps(task: Task, ...changes: readonly Partial<Task['runs'][0]>[]): Task {
  return { ...task, runs: task.runs.map((runs, place) => ({ ...runs, ...changes[place] })) };
}

const CLAIMED = { state: 'running', lease: { owner: 'host-1', token: 1 }, attempts: 1 } as const;

function runningTask(): Task {
  const task = sampleTask({}, { status: 2 });
  const [first, second] = task.runs;
  const done: ActionRun = { ...first!.normal, state: 'succeeded', output: { host: 'h1' } };
  return withSteps(task, { normal: done }, { normal: { ...second!.normal, ...CLAIMED } });
}

function failedBack(): Task {
  const failed: ActionRun = { ...NOTHING_TO_UNDO, state: 'failed', message: 'no host' };
  return withSteps(sampleTask({ flow: 'other' }, { status: 5 }), {}, { rollback: failed });
}

describeWith('MongoDB store, as people read it', { servers: ['mongo'] }, () => {
  const entropy = new FakeEntropy();
  const database = `backstep_${sampleTask().plan.taskId}`;
  let server: MongoServer;
  let client: MongoClient;
  let store: MongoStore;

  beforeAll(async () => {
    server = present(await startMongo());
    client = new MongoClient(server.url);
    store = await openMongoStore({
      url: server.url,
      database,
      clock: new SystemClock(),
      observer: new RecordingObserver(),
      newMark: () => entropy.newId(),
      random: () => entropy.random(),
    });
  }, 120_000);

  afterAll(async () => {
    await store?.close();
    await client?.db(database).dropDatabase();
    await client?.close();
    await server?.stop();
  });

  it('finds what the filters of the docs ask for', async () => {
    const tasks = [runningTask(), failedBack(), sampleTask()];
    for (const task of tasks) await store.insert(task);
    const [running, failed] = tasks.map(({ plan }) => plan.taskId);
    const page = await readFile(PAGE, 'utf8');
    const filters = [...page.matchAll(/^db\.tasks\.find\((.*)\)$/gm)].map(([, text]) => text!);
    const found = filters.map(async (text) => {
      const documents = client
        .db(database)
        .collection('tasks')
        .find(JSON.parse(text) as Document);
      return (await documents.toArray()).map(({ _id }) => String(_id));
    });
    expect(await Promise.all(found)).toEqual([[running], [failed], [running]]);
  });

  it('has no text inside of a text but for steps of plans and what cannot be stored', async () => {
    const task = eventfulTask();
    await store.insert(task);
    const documents = client.db(database).collection<Document & { _id: string }>('tasks');
    const texts = textsIn(await documents.findOne({ _id: task.plan.taskId }), '');
    // Names with dots, or with a dollar in front.
    expect(texts).toEqual([
      'plan.constants',
      'plan.only.given',
      'plan.steps',
      'signals.[].payload',
      'steps.[].normal.values',
    ]);
  });
});

/** Paths of texts that are JSON of an object or a list, each once, in the order of the alphabet. */
function textsIn(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string') return /^[[{]["[{]/.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  const found = Object.entries(value).flatMap(([name, member]) => {
    const part = Array.isArray(value) ? '[]' : name;
    return textsIn(member, path === '' ? part : `${path}.${part}`);
  });
  return [...new Set(found)].toSorted();
}
