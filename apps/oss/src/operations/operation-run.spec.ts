import { describe, expect, it } from '@jest/globals';
import type { OperationProgress, OperationRecord, Operations } from '#ports';
import { ManualClock, MemoryStore, settle } from '#testing';
import { seededRandom, type SeededRandom } from '../../../../test/trial/index.js';
import { type Acted, newOperation } from './operation-change.js';
import { OperationRun } from './operation-run.js';

const LEASE_MS = 10_000;
const TASKS = 97;
const PAGE = 10;

/** A process that dies at one of its calls: from then on nothing that it does takes effect. */
class Mortal {
  private isDead = false;

  constructor(private callsLeft: number) {}

  /** Dies before the call, or after it took effect, or lives on. */
  async live<T>(call: () => Promise<T>, random: SeededRandom): Promise<T> {
    this.callsLeft -= 1;
    const isLast = this.callsLeft === 0;
    if (this.isDead || (isLast && random.next() < 0.5)) return this.die();
    const result = await call();
    if (isLast) return this.die();
    return result;
  }

  private die(): Promise<never> {
    this.isDead = true;
    return new Promise(() => {});
  }
}

/** Tasks that are acted on once for each key, whoever asks; every seventh one refuses. */
class World {
  private readonly store = new MemoryStore();
  readonly operations = this.store.operations;
  readonly clock = new ManualClock();
  /** How often each task was acted on by a key that it had not seen. */
  readonly effects = new Map<string, number>();
  ends = 0;
  /** Id of a key that somebody took back. */
  revoked: string | undefined;
  private readonly seen = new Set<string>();
  private lives = 0;

  constructor(readonly random: SeededRandom) {}

  get record(): OperationRecord {
    return this.store.contents.records.get('operation')!.get('op') as OperationRecord;
  }

  act(record: OperationRecord, taskId: string): Acted {
    const number = Number(taskId.slice(2));
    if (number % 7 === 0) {
      return { taskId, outcome: 'refused', code: 'ILLEGAL_ACTION', message: 'no' };
    }
    const key = `${record.operationId} ${taskId}`;
    if (!this.seen.has(key)) this.effects.set(taskId, (this.effects.get(taskId) ?? 0) + 1);
    this.seen.add(key);
    return { taskId, outcome: 'done' };
  }

  /** The page behind the cursor. Tasks acted on no longer match: none may be listed again. */
  next({ progress }: OperationRecord): OperationProgress {
    if (progress.isLast) throw new Error('behind the last page there is none');
    const from = Number(progress.cursor ?? 0);
    const to = Math.min(TASKS, from + PAGE);
    const page = Array.from({ length: to - from }, (_, n) => `t-${from + n}`);
    return { page, cursor: `${to}`, isLast: to === TASKS };
  }

  /** One life of a process that takes the operation over if it can, and dies at that call. */
  async live(calls: number): Promise<void> {
    this.lives += 1;
    const runner = `process ${this.lives}`;
    const mortal = new Mortal(calls);
    const { clock, random } = this;
    const through = <T>(call: () => Promise<T>): Promise<T> => mortal.live(call, random);
    const operations: Pick<Operations, 'get' | 'put'> = {
      get: (id) => through(() => this.operations.get(id)),
      put: (next, previous) => through(() => this.operations.put(next, previous)),
    };
    const [due] = await this.operations.list({ index: 'due', upTo: clock.now(), limit: 1 });
    if (due === undefined) return;
    const dueAt = clock.now() + LEASE_MS;
    const claimed = { ...due, revision: due.revision + 1, runner, dueAt };
    if (!(await this.operations.put(claimed, due))) return;
    const run = new OperationRun(claimed, {
      operations,
      clock,
      acts: { act: (record, id) => through(async () => this.act(record, id)) },
      tasks: { next: (record) => through(async () => this.next(record)) },
      runner,
      leaseMs: LEASE_MS,
      isRevoked: (record) => through(async () => record.requester.keyId === this.revoked),
      tellEnd: () =>
        through(async () => {
          this.ends += 1;
        }),
    });
    void run.run();
    await clock.advance(LEASE_MS + 1_000);
  }
}

function start(world: World, more: Partial<OperationRecord['order']> = {}): OperationRecord {
  const record = newOperation({
    operationId: 'op',
    order: {
      action: 'retry',
      q: 'status:live',
      reason: 'why',
      details: {},
      ratePerSecond: null,
      isDryRun: false,
      ...more,
    },
    requester: {
      actor: 'ann',
      name: 'ann',
      keyId: null,
      role: 'operator',
      flows: null,
      labels: null,
      modules: null,
    },
    requestHash: null,
    now: world.clock.now(),
    counted: { total: TASKS, isComplete: true },
  });
  void world.operations.put(record, null);
  return record;
}

const REFUSED = Math.ceil(TASKS / 7);

function expectWhole(world: World): void {
  const { done, failed, matched, refused, status } = world.record;
  expect({ done, failed, matched, refused, status }).toEqual({
    done: TASKS - REFUSED,
    failed: 0,
    matched: TASKS,
    refused: REFUSED,
    status: 'finished',
  });
  expect(world.record.counts).toEqual([{ code: 'ILLEGAL_ACTION', count: REFUSED }]);
  expect([...world.effects.values()].every((times) => times === 1)).toBe(true);
  expect(world.effects.size).toBe(TASKS - REFUSED);
}

describe('an operation', () => {
  it('acts on each task once and counts each once, whoever dies at whatever call', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const world = new World(seededRandom(seed));
      start(world);
      for (let life = 0; world.record.endedAt === null; life += 1) {
        if (life > 200) throw new Error(`seed ${seed}: it does not end`);
        // The last one lives for ever: nothing is left to those who come later.
        await world.live(life === 40 ? Infinity : world.random.between(1, 40));
      }
      try {
        expectWhole(world);
        expect(world.ends).toBeGreaterThanOrEqual(1);
      } catch (error) {
        throw new Error(`seed ${seed} fails`, { cause: error });
      }
    }
  });

  it('that somebody calls off ends soon, and counts what was done', async () => {
    const world = new World(seededRandom(1));
    start(world, { ratePerSecond: 10 });
    void world.live(Infinity);
    await world.clock.advance(2_500);
    const { record } = world;
    const cancel = { actor: 'ben', reason: null, at: world.clock.now() };
    const off = { ...record, revision: record.revision + 1, status: 'cancelling' as const, cancel };
    expect(await world.operations.put(off, record)).toBe(true);
    await world.clock.advance(2_500);
    const { done, endedAt, refused, status } = world.record;
    expect(status).toBe('cancelled');
    expect(endedAt).not.toBeNull();
    expect(done).toBe(world.effects.size);
    expect(done + refused).toBeLessThan(TASKS / 2);
  });

  it('stops when the key is revoked that it was asked for with, and says so', async () => {
    const world = new World(seededRandom(1));
    const record = start(world, { ratePerSecond: 10 });
    const requester = { ...record.requester, keyId: 'k' };
    await world.operations.put({ ...record, requester }, 'any');
    void world.live(Infinity);
    await world.clock.advance(2_500);
    expect(world.record.status).toBe('running');
    world.revoked = 'k';
    await world.clock.advance(5_000);
    const { cancel, done, status } = world.record;
    expect([status, cancel?.actor]).toEqual(['cancelled', 'backstep']);
    expect(cancel?.reason).toContain('revoked');
    expect(done).toBe(world.effects.size);
    expect(world.effects.size).toBeLessThan(TASKS - REFUSED);
    expect(world.ends).toBe(1);
  });

  it('keeps to its rate', async () => {
    const world = new World(seededRandom(1));
    start(world, { ratePerSecond: 10 });
    void world.live(Infinity);
    await world.clock.advance(5_000);
    await settle();
    const begun = world.effects.size + Math.ceil(world.effects.size / 6);
    expect(begun).toBeGreaterThanOrEqual(45);
    expect(begun).toBeLessThanOrEqual(55);
  });

  it('that waits long for a turn is not taken for dead', async () => {
    const world = new World(seededRandom(1));
    start(world, { ratePerSecond: 0.1 });
    void world.live(Infinity);
    for (let n = 0; n < 60; n += 1) {
      await world.clock.advance(1_000);
      const due = { index: 'due', upTo: world.clock.now(), limit: 1 } as const;
      expect(await world.operations.list(due)).toEqual([]);
    }
    expect(world.effects.size).toBeGreaterThanOrEqual(4);
  });

  it('that another process has taken over is left alone', async () => {
    const world = new World(seededRandom(1));
    start(world, { ratePerSecond: 10 });
    void world.live(Infinity);
    await world.clock.advance(2_500);
    const { record } = world;
    const taken = { ...record, revision: record.revision + 1, runner: 'somebody else' };
    await world.operations.put(taken, record);
    await world.clock.advance(20_000);
    expect(world.record).toBe(taken);
    expect(world.effects.size).toBeLessThan(TASKS / 2);
  });
});
