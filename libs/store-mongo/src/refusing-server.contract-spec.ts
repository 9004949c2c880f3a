import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { FakeEntropy, nextOf, RecordingObserver, sampleTask, SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { type Refusal, RefusingProxy } from '../../../test/servers/refusing-proxy.js';
import { eventually } from '../../../test/servers/rabbitmq-rig.js';
import { type MongoStore, openMongoStore } from './index.js';
import type { MongoStoreOptions } from './options.js';

/** One for all stores: marks must never meet. */
const entropy = new FakeEntropy();
/** More than the driver takes to look for a primary again. */
const OPERATION_MS = 1_500;
const LIMIT_MS = 2_000;
const DATABASE = `refusing_${process.pid}`;

/** An answer of a server in trouble, and what a person is told to do. */
interface Trouble {
  readonly code: number;
  readonly name: string;
  readonly errmsg: string;
  readonly told: RegExp;
}

const TROUBLES: readonly Trouble[] = [
  [10_107, 'NotWritablePrimary', 'not primary', /no primary now/],
  [13_435, 'NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false', /no primary now/],
  [11_602, 'InterruptedDueToReplStateChange', 'operation was interrupted', /no primary now/],
  [189, 'PrimarySteppedDown', 'Primary stepped down', /no primary now/],
  [91, 'ShutdownInProgress', 'The server is in quiesce mode', /no primary now/],
  [14_031, 'OutOfDiskSpace', 'available disk space of 512 bytes is too little', /Make room/],
  [13, 'Unauthorized', 'not authorized on backstep to execute command', /Give it the right/],
  [18, 'AuthenticationFailed', 'Authentication failed.', /BACKSTEP_STORE/],
  [8_000, 'AtlasError', 'you are over your space quota', /over your space quota\. See the log/],
].map(([code, name, errmsg, told]) => ({ code, name, errmsg, told }) as Trouble);
/** The driver tries these again. */
const RETRYABLE: ReadonlySet<number> = new Set([10_107, 13_435, 11_602, 189, 91]);

/** Commands that a server refuses which may still be read. */
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);
/** Answered by every server: also the ping, by which nobody learns of the trouble. */
const OF_DRIVER = new Set(['hello', 'ismaster', 'endSessions', 'ping']);
const UNAVAILABLE: unknown = expect.any(StoreUnavailable);

describeWith('MongoDB store and a server that refuses', { servers: ['mongo'] }, () => {
  let server: MongoServer;
  let proxy: RefusingProxy;
  let store: MongoStore;
  let observer: RecordingObserver;

  beforeAll(async () => {
    server = present(await startMongo());
    proxy = await RefusingProxy.openBefore(server.url);
    observer = new RecordingObserver();
    store = await open({ limitMs: LIMIT_MS, operationMs: OPERATION_MS });
  }, 240_000);
  beforeEach(async () => {
    await eventually('it is ready', () => store.ping());
    observer.notices.length = 0;
  });
  afterEach(() => {
    proxy.refuses = null;
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
    const client = new MongoClient(server.url);
    await client.db(DATABASE).dropDatabase();
    await client.close();
    await server.stop();
  });

  function open(limits: Pick<MongoStoreOptions, 'limitMs' | 'operationMs'>): Promise<MongoStore> {
    return openMongoStore({
      url: proxy.url,
      database: DATABASE,
      clock: new SystemClock(),
      observer,
      newMark: () => entropy.newId(),
      random: () => entropy.random(),
      lookMs: 200,
      ...limits,
    });
  }

  /** Resolves with the sentence once a ping fails with one that tells what to do. */
  function notReady(told: RegExp): Promise<string> {
    return eventually('it is not ready, and says what to do', async () => {
      const error: unknown = await store.ping().catch((reason: unknown) => reason);
      if (!(error instanceof StoreUnavailable)) throw new Error('it is ready');
      expect(error.message).toMatch(told);
      return error.message;
    });
  }

  describe.each([
    ['writes', TROUBLES, (command: string) => WRITES.has(command)],
    ['reads too', TROUBLES.slice(-4), (command: string) => !OF_DRIVER.has(command)],
  ] as const)('%s', (_what, troubles, isRefused) => {
    it.each(troubles)(
      'is not ready, harms nothing and goes on by itself: $code $name',
      async ({ code, errmsg, told }) => {
        const task = sampleTask();
        await store.insert(task);
        proxy.refuses = (command) => (isRefused(command) ? refusalOf(code, errmsg) : null);
        const outcomes = await Promise.allSettled([
          store.commit(task, nextOf(task)),
          store.insert(sampleTask()),
          store.renewSession('a'),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
        for (const outcome of outcomes) expect(outcome).toHaveProperty('reason', UNAVAILABLE);
        expect(await notReady(told)).toContain('go on by themselves');
        expect(observer.notices.filter(({ level }) => level === 'error')).toHaveLength(1);
        proxy.refuses = null;
        await eventually('it is ready again', () => store.ping());
        const stored = await store.get(task.plan.taskId);
        expect(await store.commit(stored!, nextOf(stored!))).toBe('committed');
        await store.insert(sampleTask());
      },
      60_000,
    );
  });

  it('commits what was refused for a moment, as at the election of a primary', async () => {
    const patient = await open({ limitMs: 20_000 });
    try {
      const task = sampleTask();
      await patient.insert(task);
      const refused = proxy.refused();
      proxy.refuses = (command) => (command === 'update' ? refusalOf(10_107, 'not primary') : null);
      const committing = patient.commit(task, nextOf(task));
      await refused;
      proxy.refuses = null;
      expect(await committing).toBe('committed');
      expect((await patient.get(task.plan.taskId))!.revision).toBe(2);
    } finally {
      await patient.close();
    }
  }, 60_000);
});

function refusalOf(code: number, errmsg: string): Refusal {
  const errorLabels = RETRYABLE.has(code) ? ['RetryableWriteError'] : [];
  return { code, errmsg, errorLabels };
}
