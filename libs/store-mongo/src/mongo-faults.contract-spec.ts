import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { Task } from '#core';
import { StoreUnavailable, type CommitResult } from '#ports';
import { FakeEntropy, nextOf, RecordingObserver, sampleTask, SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo } from '../../../test/servers/index.js';
import { onNewPrimary } from './clock/server-time.js';
import { type MongoStore, openMongoStore } from './index.js';

const LIMIT_MS = 4_000;
const OPERATION_MS = 1_000;
/** Far above these limits, on a machine that does much else; the driver alone would wait 30 s. */
const HANG_MS = 25_000;
const KILLS = 4;
const COMMITS_BETWEEN_KILLS = 300;

const clock = new SystemClock();
/** One for all stores: marks must never meet. */
const entropy = new FakeEntropy();

describeWith('MongoDB store and a server in trouble', { servers: ['mongo'], own: true }, () => {
  let server: MongoServer;
  let load: Load | undefined;

  beforeAll(async () => {
    server = present(await startMongo({ own: true }));
  }, 240_000);

  afterEach(() => load?.stop());

  afterAll(async () => {
    await server?.stop();
  });

  const open = (): Promise<MongoStore> =>
    openMongoStore({
      url: server.url,
      clock,
      observer: new RecordingObserver(),
      newMark: () => entropy.newId(),
      random: () => entropy.random(),
      limitMs: LIMIT_MS,
      operationMs: OPERATION_MS,
    });

  it('kill -9 under load loses no commit that was told, and none is told as a conflict that counted', async () => {
    const stores = [await open(), await open()];
    load = new Load(stores);
    const running = load.run();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await load.committed(COMMITS_BETWEEN_KILLS);
      await server.restart();
    }
    await load.committed(COMMITS_BETWEEN_KILLS);
    load.stop();
    await running;
    const written = await load.written();
    const told = load.told;
    expect(told.committed.filter((id) => !written.has(id))).toEqual([]);
    expect(told.conflict.filter((id) => written.has(id))).toEqual([]);
    expect(told.committed.length).toBeGreaterThan((KILLS + 1) * COMMITS_BETWEEN_KILLS);
    await Promise.all(stores.map((store) => store.close()));
  }, 240_000);

  it('against a frozen server every call ends in time, and afterwards all is well', async () => {
    const store = await open();
    const task = sampleTask();
    await store.insert(task);
    await server.pause();
    try {
      const calls = [
        ...Array.from({ length: 300 }, () => () => store.insert(sampleTask())),
        () => store.commit(task, nextOf(task)),
        () => store.get(task.plan.taskId),
        () => store.findByKey('k'),
        () => store.findDue(Number.MAX_SAFE_INTEGER, 5),
        () => store.list({ limit: 5 }),
        () => store.countLive(),
        () => store.countStarted('a', 5),
        () => store.listFlows(),
        () => store.listExecutors(0),
      ];
      await untilFrozen(store);
      const ping = await msUntilRefused(() => store.ping());
      expect(ping).toBeLessThan(HANG_MS);
      const times = await Promise.all(calls.map((call) => msUntilRefused(call)));
      expect(Math.max(...times)).toBeLessThan(HANG_MS);
      expect(await msUntilRefused(open)).toBeLessThan(HANG_MS);
    } finally {
      await server.resume();
    }
    const stored = await untilReady(() => store.get(task.plan.taskId));
    expect([1, 2]).toContain(stored?.revision);
    expect(await store.commit(stored!, nextOf(stored!))).toBe('committed');
    await store.close();
  }, 240_000);

  it('a server that is there again is told of', async () => {
    const client = new MongoClient(server.url);
    const told = new RecordingObserver();
    onNewPrimary(client, () => told.noticed({ level: 'info', name: 'primary', message: '' }));
    try {
      await client.connect();
      await told.tells('primary');
      expect(told.notices).toHaveLength(1);
      const again = told.next('primary');
      await server.restart();
      await again;
    } finally {
      await client.close();
    }
  }, 240_000);

  it('closing ends in time although the server is frozen', async () => {
    const store = await open();
    await server.pause();
    try {
      await untilFrozen(store);
      const inserting = msUntilRefused(() => store.insert(sampleTask()));
      const started = clock.monotonic();
      await store.close();
      expect(clock.monotonic() - started).toBeLessThan(HANG_MS);
      await inserting;
    } finally {
      await server.resume();
    }
  }, 240_000);
});

/** Writers in two stores that compete for the same tasks; each write is named in the journal. */
class Load {
  readonly told = { committed: [] as string[], conflict: [] as string[], unknown: [] as string[] };
  private readonly tasks = Array.from({ length: 64 }, () => sampleTask());
  private readonly waiting: { count: number; resolve: () => void }[] = [];
  private isStopped = false;

  constructor(private readonly stores: readonly MongoStore[]) {}

  private first(): MongoStore {
    const [first] = this.stores;
    if (first === undefined) throw new Error('a load needs a store');
    return first;
  }

  async run(): Promise<void> {
    const first = this.first();
    await Promise.all(this.tasks.map((task) => first.insert(task)));
    const writers = this.stores.flatMap((store) =>
      this.tasks.slice(0, 48).map((_, nth) => this.write(store, nth)),
    );
    await Promise.all(writers);
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Resolves when a number of further commits were told. */
  committed(more: number): Promise<void> {
    const count = this.told.committed.length + more;
    return new Promise((resolve) => this.waiting.push({ count, resolve }));
  }

  /** Names of the writes that are in the journals. */
  async written(): Promise<ReadonlySet<string>> {
    const first = this.first();
    const stored = await Promise.all(this.tasks.map((task) => first.get(task.plan.taskId)));
    return new Set(
      stored.flatMap((task) => task?.journal.entries().map(({ actor }) => actor ?? '') ?? []),
    );
  }

  private async write(store: MongoStore, nth: number): Promise<void> {
    for (let turn = nth; !this.isStopped; turn += 7) {
      const { taskId } = this.tasks[turn % this.tasks.length]!.plan;
      const task = await untilReady(() => store.get(taskId));
      if (task === null) continue;
      const id = entropy.newId();
      this.tell(id, await outcomeOf(() => store.commit(task, signed(task, id))));
    }
  }

  private tell(id: string, outcome: CommitResult | 'unknown'): void {
    this.told[outcome].push(id);
    for (const { count, resolve } of this.waiting) {
      if (this.told.committed.length >= count) resolve();
    }
  }
}

function signed(task: Task, actor: string): Task {
  const seq = task.journalSeq + 1;
  const entry = { seq, at: 1, kind: 'started', actor } as const;
  return nextOf(task, { journal: task.journal.with([entry]), journalSeq: seq });
}

async function outcomeOf(commit: () => Promise<CommitResult>): Promise<CommitResult | 'unknown'> {
  try {
    return await commit();
  } catch (error) {
    if (error instanceof StoreUnavailable) return 'unknown';
    throw error;
  }
}

/**
 * Tries while the server is away. A closed store answers at once, so every try is followed by a
 * rest.
 */
async function untilReady<T>(read: () => Promise<T>): Promise<T> {
  const end = clock.monotonic() + READY_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || clock.monotonic() > end) throw error;
    }
    await clock.sleep(20);
  }
}

/** Longest time that a server needs to be back. */
const READY_MS = 60_000;

/** The signal to stop takes effect a little after it was sent. */
async function untilFrozen(store: MongoStore): Promise<void> {
  while (
    await store.ping().then(
      () => true,
      () => false,
    )
  );
}

async function msUntilRefused(call: () => Promise<unknown>): Promise<number> {
  const started = clock.monotonic();
  await expect(call()).rejects.toThrow(StoreUnavailable);
  return clock.monotonic() - started;
}
