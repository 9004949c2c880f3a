import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Task } from '#core';
import type { AttemptOutput } from '#ports';
import { chain, EngineWorld, FakeEntropy, MemorySecrets, PLAIN_TOKENS } from '#testing';
import { PlainSecrets, settle, type WorldOptions } from '#testing';
import type { PollAnswer, PollOrder, WorkItem } from './work-desk.js';
import { WorkerNameTaken } from './worker-roster.js';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();
const open: AbortController[] = [];
afterEach(() => open.splice(0).forEach((socket) => socket.abort()));

const ORDER: PollOrder = { worker: 'w1', modules: ['m'], max: 1, waitMs: 20_000, leaseMs: 30_000 };

function gateway(options: WorldOptions = {}): Promise<EngineWorld> {
  return world({ executor: false, ...options });
}

/** A poll, and its connection. */
function polled(
  { engine }: EngineWorld,
  order: Partial<PollOrder> = {},
): { readonly answer: Promise<PollAnswer>; readonly socket: AbortController } {
  const socket = new AbortController();
  open.push(socket);
  return { answer: engine.desk.poll({ ...ORDER, ...order }, socket.signal), socket };
}

async function fetched(made: EngineWorld, order: Partial<PollOrder> = {}): Promise<WorkItem> {
  const { answer } = polled(made, order);
  await settle();
  const [item] = (await answer).items;
  if (item === undefined) throw new Error('the poll came back empty');
  return item;
}

function stateOf(task: Task, place = 0): string {
  return task.runs[place]?.normal.state ?? '';
}

const DONE = { kind: 'complete', output: null } as const;

describe('a poll', () => {
  it('gets an action, and its outcome moves the task on', async () => {
    const made = await gateway();
    const { answer } = polled(made);
    const task = await made.submit(chain(['a', 'b']));
    const [item] = (await answer).items;
    expect(item).toMatchObject({ step: 'a', attempt: 1, leaseMs: 15_000, confirm: false });
    expect(stateOf(await made.task(task.plan.taskId))).toBe('running');
    const outcome = { kind: 'complete', output: { x: 1 } } as const;
    const told = await made.engine.desk.report(item!.claim, outcome, { max: 1 });
    expect(told).toMatchObject({ kind: 'taken', isReplayed: false });
    const next = told.kind === 'taken' ? told.items : undefined;
    expect(next).toMatchObject([{ step: 'b', parameters: { x: 1 } }]);
    await made.engine.desk.report(next![0]!.claim, DONE);
    expect((await made.task(task.plan.taskId)).outcome).toBe('succeeded');
  });

  it('takes what is ready up to its number, and wakes one poll for one item', async () => {
    const made = await gateway();
    const first = polled(made, { worker: 'w1' });
    const second = polled(made, { worker: 'w2' });
    await made.submit(chain(['a']));
    expect((await first.answer).items).toHaveLength(1);
    expect(made.engine.desk.parked).toBe(1);
    await made.submit(chain(['a']));
    expect((await second.answer).items).toHaveLength(1);
    await made.submit(chain(['a']));
    await made.submit(chain(['a']));
    await made.submit(chain(['a']));
    const third = polled(made, { worker: 'w3', max: 2 });
    await settle();
    expect((await third.answer).items).toHaveLength(2);
  });

  it('is passed over once its connection has closed', async () => {
    const made = await gateway();
    const gone = polled(made, { worker: 'w1' });
    const there = polled(made, { worker: 'w2' });
    await settle();
    gone.socket.abort();
    await made.submit(chain(['a']));
    expect((await gone.answer).items).toEqual([]);
    expect((await there.answer).items).toHaveLength(1);
  });

  it('gives back what its closed connection cannot be told, uncounted', async () => {
    const made = await gateway();
    const item = await taken(made);
    await made.engine.desk.handBack([item.claim]);
    await settle();
    const task = await made.task(item.taskId);
    expect(task.runs[0]?.normal).toMatchObject({ state: 'queued', attempts: 0, startedAt: null });
    expect(await fetched(made)).toMatchObject({ attempt: 1 });
  });

  it('gives the same items under the same id, and claims nothing new', async () => {
    const made = await gateway();
    const pollId = 'p-1';
    const item = await taken(made, { pollId });
    const other = await gateway({
      store: made.store,
      transport: made.transport,
      clock: made.clock,
    });
    const again = await fetched(other, { pollId });
    expect(again.claim).toEqual(item.claim);
    expect(again.leaseMs).toBe(ORDER.leaseMs);
  });

  it('gives its items again for good, or not at all, where another gateway hands them back', async () => {
    const made = await gateway();
    const { clock, store, transport } = made;
    const other = await gateway({ clock, store, transport });
    const given = await taken(made, { pollId: 'p1' });
    expect((await fetched(other, { pollId: 'p1' })).claim).toEqual(given.claim);
    await made.engine.desk.handBack([given.claim]);
    const [beat] = await other.engine.desk.heartbeat([given]);
    expect(beat?.state).toBe('held');
    const late = await taken(made, { pollId: 'p2' });
    const findHeld = store.findHeld.bind(store);
    jest.spyOn(store, 'findHeld').mockImplementationOnce(async (...asked) => {
      const found = await findHeld(...asked);
      await made.engine.desk.handBack([late.claim]);
      return found;
    });
    const { answer } = polled(other, { pollId: 'p2' });
    await clock.advance(20_000);
    expect((await answer).items).not.toContainEqual(expect.objectContaining({ claim: late.claim }));
  });

  it('gives the same items again beside older claims of its worker', async () => {
    const made = await gateway();
    await made.submit(chain(['a']));
    await fetched(made, { pollId: 'p1' });
    await made.submit(chain(['a']));
    const item = await fetched(made, { pollId: 'p2' });
    await made.submit(chain(['a']));
    const again = await fetched(made, { pollId: 'p2' });
    expect(again.claim).toEqual(item.claim);
  });

  it('gives no more of its items again than it asks for, and looks no further', async () => {
    const made = await gateway();
    for (let n = 0; n < 120; n += 1) await made.submit(chain(['a']));
    await settle();
    const first = await polled(made, { pollId: 'p1', max: 100 }).answer;
    const second = await polled(made, { pollId: 'p2', max: 100 }).answer;
    expect(first.items.length + second.items.length).toBe(120);
    const findHeld = jest.spyOn(made.store, 'findHeld');
    const again = await polled(made, { pollId: 'p1', max: 1 }).answer;
    expect([again.items.length, findHeld.mock.calls.length]).toEqual([1, 1]);
  });

  it('ends an older one of the same worker and modules', async () => {
    const made = await gateway();
    const older = polled(made);
    await settle();
    polled(made);
    expect((await older.answer).items).toEqual([]);
  });

  it('comes back empty when its wait is over', async () => {
    const made = await gateway();
    const { answer } = polled(made);
    await made.clock.advance(20_000);
    expect(await answer).toEqual({ items: [], isDraining: false });
  });

  it('waits for a store that is away, and is not failed', async () => {
    const made = await gateway();
    const task = await made.submit(chain(['a']));
    made.store.down = true;
    await expect(polled(made, { waitMs: 0 }).answer).rejects.toThrow();
    const short = polled(made, { worker: 'w2', waitMs: 3_000 });
    const { answer } = polled(made);
    await settle();
    expect(made.engine.desk.parked).toBe(2);
    await made.clock.advance(4_000);
    expect(await short.answer).toEqual({ items: [], isDraining: false });
    made.store.down = false;
    await made.clock.advance(2_000);
    expect((await answer).items).toMatchObject([{ taskId: task.plan.taskId }]);
    expect(made.engine.desk.parked).toBe(0);
  });

  it('gets nothing while its worker drains', async () => {
    const made = await gateway();
    const { answer } = polled(made);
    await settle();
    expect(await made.engine.desk.drain('w1', true)).toBe(true);
    expect(await answer).toEqual({ items: [], isDraining: true });
    expect(await made.engine.desk.drain('nobody', true)).toBe(false);
    await made.submit(chain(['a']));
    expect(await polled(made).answer).toEqual({ items: [], isDraining: true });
  });
});

async function taken(made: EngineWorld, order: Partial<PollOrder> = {}): Promise<WorkItem> {
  await made.submit(chain(['a', 'b']));
  return fetched(made, order);
}

describe('a claim', () => {
  it('that gets no heartbeat goes to the next one, uncounted', async () => {
    const made = await gateway();
    const { taskId } = await taken(made);
    await made.clock.advance(16_000);
    const { normal } = (await made.task(taskId)).runs[0]!;
    expect(normal).toMatchObject({ state: 'queued', attempts: 0, spent: 0, crashes: 0, unheld: 1 });
    expect(await fetched(made, { worker: 'w2' })).toMatchObject({ attempt: 1, fencingToken: 2 });
  });

  it('is held by heartbeats, of which one in a third of the lease is stored', async () => {
    const made = await gateway();
    const { claim, taskId } = await taken(made);
    const { desk } = made.engine;
    expect(await desk.heartbeat([{ claim }])).toEqual([{ state: 'held', leaseMs: 30_000 }]);
    const { revision } = await made.task(taskId);
    await made.clock.advance(5_000);
    expect(await desk.heartbeat([{ claim }])).toEqual([{ state: 'held', leaseMs: 25_000 }]);
    expect((await made.task(taskId)).revision).toBe(revision);
    await made.clock.advance(5_000);
    expect(await desk.heartbeat([{ claim }])).toEqual([{ state: 'held', leaseMs: 30_000 }]);
    await made.clock.advance(29_000);
    expect(stateOf(await made.task(taskId))).toBe('running');
    await made.clock.advance(2_000);
    const { normal } = (await made.task(taskId)).runs[0]!;
    expect(normal).toMatchObject({ state: 'queued', attempts: 1, crashes: 1 });
  });

  it('counts its outcome after its end while nobody else has claimed', async () => {
    const made = await gateway();
    const { claim, taskId } = await taken(made);
    await made.clock.advance(16_000);
    expect(await made.engine.desk.report(claim, DONE)).toMatchObject({ kind: 'taken' });
    const { normal } = (await made.task(taskId)).runs[0]!;
    expect(normal).toMatchObject({ state: 'succeeded', attempts: 1, unheld: 0 });
  });

  it('that another worker took tells late, and is kept with the attempt', async () => {
    const made = await gateway();
    const { claim, taskId } = await taken(made);
    await made.clock.advance(16_000);
    await fetched(made, { worker: 'w2' });
    const late = { kind: 'late', reason: 'superseded' };
    expect(await made.engine.desk.report(claim, DONE)).toEqual(late);
    expect(await made.engine.desk.report(claim, DONE)).toEqual(late);
    const { journal } = await made.task(taskId);
    expect(journal.entries().filter(({ kind }) => kind === 'reported_late')).toHaveLength(1);
    const lost = { state: 'lost', reason: 'superseded' };
    expect(await made.engine.desk.heartbeat([{ claim }])).toEqual([lost]);
  });

  it('takes the same outcome again, and no other one', async () => {
    const made = await gateway();
    const { claim } = await taken(made);
    const { desk } = made.engine;
    const first = await desk.report(claim, DONE);
    expect(await desk.report(claim, DONE)).toEqual({ ...first, isReplayed: true });
    expect(await desk.report(claim, { kind: 'complete', output: { x: 2 } })).toEqual({
      kind: 'differs',
    });
    expect(await desk.heartbeat([{ claim }])).toEqual([{ state: 'ended' }]);
  });

  it('has the hash of its outcome under a key that no document has', async () => {
    const made = await gateway();
    const { claim } = await taken(made);
    const { clock, store, transport } = made;
    const [same, other] = [
      await gateway({ store, transport, clock }),
      await gateway({ store, transport, clock }),
    ];
    const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
    const hashes = jest.spyOn(FakeEntropy.prototype, 'idOf').mockImplementation(hashOf);
    await made.engine.desk.report(claim, DONE);
    const key = jest.spyOn(PLAIN_TOKENS, 'tokenOf').mockReturnValue('another');
    expect(await other.engine.desk.report(claim, DONE)).toEqual({ kind: 'differs' });
    key.mockRestore();
    const again = await same.engine.desk.report(claim, DONE);
    expect(again).toMatchObject({ kind: 'taken', isReplayed: true });
    hashes.mockRestore();
  });

  it('has its lines kept once, those too that come late, and its output ends with it', async () => {
    const output = { append: jest.fn(() => false), progress: jest.fn(), end: jest.fn() };
    const made = await gateway({ output: output satisfies AttemptOutput });
    const { claim } = await taken(made);
    const { desk } = made.engine;
    const line = { lines: [{ message: 'late', agoMs: 1_000 }], dropped: 2 };
    await made.clock.advance(16_000);
    await fetched(made, { worker: 'w2' });
    for (let n = 0; n < 2; n += 1) {
      await desk.say(claim, line);
      expect(await desk.report(claim, DONE)).toMatchObject({ kind: 'late' });
    }
    const attempt = { step: 'a', run: 'a', direction: 'normal', attempt: 1 };
    const at = made.clock.now() - 1_000;
    expect(output.append.mock.calls).toEqual([
      [expect.objectContaining(attempt), [{ message: 'late', at }], 2],
    ]);
    expect(output.end).toHaveBeenCalledWith(expect.objectContaining(attempt));
  });

  it('is told once to stop, and ends then, before its step is undone', async () => {
    const made = await gateway();
    const { claim, taskId } = await taken(made);
    const { desk } = made.engine;
    await desk.heartbeat([{ claim }]);
    const person = { actor: 'ann', reason: 'no', key: null } as const;
    await made.engine.operate(taskId, { kind: 'rollback_requested', ...person });
    const [told] = await desk.heartbeat([{ claim }]);
    expect(told).toMatchObject({ state: 'cancelled', stopWithinMs: 10_000 });
    await made.clock.advance(6_000);
    expect(await desk.heartbeat([{ claim }])).toMatchObject([{ stopWithinMs: 4_000 }]);
    expect((await made.task(taskId)).runs[0]?.rollback?.state).toBe('pending');
    await made.clock.advance(5_000);
    const undo = await fetched(made, { worker: 'w2' });
    expect(undo).toMatchObject({ direction: 'rollback', fencingToken: 2 });
    expect(undo.forward).toEqual({ state: 'unknown', output: null });
  });

  it('that is released costs nothing, and is handed back at a good-bye', async () => {
    const made = await gateway();
    const { claim, taskId } = await taken(made);
    await made.engine.desk.report(claim, { kind: 'release' });
    const unspent = { state: 'queued', attempts: 0, spent: 0, unheld: 1 };
    expect((await made.task(taskId)).runs[0]?.normal).toMatchObject(unspent);
    const next = await fetched(made, { worker: 'w2' });
    expect(next).toMatchObject({ attempt: 1, fencingToken: 2 });
    await made.engine.desk.heartbeat([{ claim: next.claim }]);
    await made.engine.desk.goodBye('w2');
    expect((await made.task(taskId)).runs[0]?.normal).toMatchObject({ ...unspent, attempts: 1 });
  });
});

describe('a worker', () => {
  const secret = { a: { secrets: ['key'] } };
  const MAKER = { worker: 'w1', modules: { m: secret }, slots: 3 };

  function seenIn({ engine }: EngineWorld): ReturnType<typeof engine.seenExecutors> {
    return engine.seenExecutors();
  }

  it('is seen as busy as it is, then silent for an hour, and not at all after that', async () => {
    const made = await gateway();
    await made.engine.desk.register({ ...MAKER, modules: { m: {} } });
    await taken(made);
    const heardAt = made.clock.now();
    const worker = { instance: 'w1', busy: 1, slots: 3 };
    expect(await seenIn(made)).toMatchObject([{ ...worker, silentSince: null }]);
    await made.clock.advance(50_000);
    const silent = { instance: 'w1', silentSince: heardAt };
    expect(await seenIn(made)).toMatchObject([silent]);
    await made.clock.advance(3_540_000);
    expect(await seenIn(made)).toMatchObject([silent]);
    await made.clock.advance(60_000);
    expect(await seenIn(made)).toEqual([]);
  });

  /** Whether what a worker makes is sealed where it says so here, of the command `a`. */
  async function isSealedBy(made: EngineWorld, worker: string): Promise<boolean> {
    const item = await taken(made, { worker });
    const outcome = { kind: 'complete', output: { key: 'my-key' } } as const;
    await made.engine.desk.report(item.claim, outcome);
    return (await made.task(item.taskId)).runs[0]?.normal.output?.['key'] !== 'my-key';
  }

  it('that polls another gateway has there what it told the first one', async () => {
    const made = await gateway({ secrets: new PlainSecrets() });
    await made.engine.desk.register(MAKER);
    const { clock, store, transport } = made;
    const other = await gateway({ clock, store, transport, secrets: new PlainSecrets() });
    expect(await isSealedBy(other, 'w1')).toBe(true);
    await clock.advance(10_000);
    const told = { instance: 'w1', commands: ['a'], slots: 3 };
    expect(await seenIn(other)).toMatchObject([told]);
  });

  it('that only polls seals what an earlier one of its module has named as secret', async () => {
    const made = await gateway({ secrets: new PlainSecrets() });
    await made.engine.desk.register(MAKER);
    await made.engine.desk.goodBye('w1');
    expect(await isSealedBy(made, 'w2')).toBe(true);
  });

  it('has its build kept with each attempt, and what this makes and removes outside', async () => {
    const made = await gateway();
    await made.engine.desk.register({ ...MAKER, build: 'shop@1' });
    const item = await taken(made);
    const made1 = [{ type: 'vm', id: 'i-1' }];
    const outcome = { kind: 'complete', output: null, creates: made1, released: [] } as const;
    await made.engine.desk.report(item.claim, outcome);
    const other = await fetched(made, { build: 'shop@2' });
    await made.clock.advance(16_000);
    await fetched(made, { worker: 'w2' });
    await made.engine.desk.report(other.claim, { ...outcome, released: made1 });
    const entries = (await made.task(item.taskId)).journal.entries();
    const kinds = ['started', 'succeeded', 'reported_late'];
    expect(entries.filter(({ kind }) => kinds.includes(kind))).toMatchObject([
      { kind: 'started', step: 'a', build: 'shop@1' },
      { kind: 'succeeded', step: 'a', creates: made1 },
      { kind: 'started', step: 'b', build: 'shop@2' },
      { kind: 'started', step: 'b' },
      { kind: 'reported_late', step: 'b', creates: made1, released: made1 },
    ]);
  });
});

describe('the name of a worker', () => {
  it('stays with its key also where it polls another gateway', async () => {
    const made = await gateway();
    const { clock, store, transport } = made;
    const other = await gateway({ clock, store, transport });
    const registration = { worker: 'w1', modules: { m: { a: {} } }, slots: 1 };
    await made.engine.desk.register({ ...registration, keyMark: 'its' });
    await made.submit(chain(['a']));
    await fetched(other);
    const taken = made.engine.desk.register({ ...registration, keyMark: 'other' });
    await expect(taken).rejects.toThrow(WorkerNameTaken);
  });
});

describe('the rules for an output', () => {
  const schema = { required: ['host'] };
  const modules = { m: { a: { output: schema, secrets: ['key'] } } };
  const rules = { schema, secrets: ['key'] };

  it('are those of the worker, also in a gateway that has not heard of it', async () => {
    const made = await gateway();
    const { clock, store, transport } = made;
    const other = await gateway({ clock, store, transport });
    await made.engine.desk.register({ worker: 'w1', modules, slots: 1 });
    await made.submit(chain(['a']));
    const { claim } = await fetched(made);
    expect(await made.engine.desk.outputRules(claim)).toEqual(rules);
    expect(await other.engine.desk.outputRules(claim)).toEqual(rules);
    expect(await other.engine.desk.outputRules({ ...claim, worker: 'w2' })).toBeNull();
    expect(await made.engine.desk.outputRules({ ...claim, direction: 'rollback' })).toBeNull();
    await made.engine.desk.goodBye('w1');
    await made.engine.desk.register({ worker: 'w1', modules, slots: 1 });
    const listKnown = store.listKnown.bind(store);
    jest.spyOn(store, 'listKnown').mockImplementation(async (...asked) => {
      return (await listKnown(...asked)).toReversed();
    });
    await clock.advance(2_000);
    expect(await other.engine.desk.outputRules(claim)).toMatchObject({ schema });
  });

  it.each(['register', 'poll'] as const)(
    'are those of a worker that registers while it polls: %s first',
    async (first) => {
      const made = await gateway();
      const { clock, store, transport } = made;
      const other = await gateway({ clock, store, transport });
      const { desk } = made.engine;
      const register = () => desk.register({ worker: 'w1', modules, slots: 1 });
      await made.submit(chain(['a']));
      const early = first === 'register' ? register() : null;
      const fetching = fetched(made);
      await (early ?? register());
      const { claim } = await fetching;
      expect(await desk.outputRules(claim)).toEqual(rules);
      expect(await other.engine.desk.outputRules(claim)).toEqual(rules);
    },
  );

  it('are none where the worker has declared none', async () => {
    const made = await gateway();
    await made.engine.desk.register({ worker: 'w1', modules: { m: { a: {} } }, slots: 1 });
    await made.submit(chain(['a']));
    const { claim } = await fetched(made);
    expect(await made.engine.desk.outputRules(claim)).toBeNull();
  });
});

describe('an output with a secret', () => {
  it('is sealed also where its worker was taken for gone before it reported', async () => {
    const made = await gateway({ secrets: new PlainSecrets() });
    const { desk } = made.engine;
    const modules = { m: { a: { secrets: ['key'] } } };
    await desk.register({ worker: 'w1', slots: 1, modules });
    const item = await taken(made, { leaseMs: 600_000 });
    await desk.heartbeat([{ claim: item.claim }]);
    await made.clock.advance(60_000);
    await desk.register({ worker: 'w2', slots: 1, modules });
    // The entropy of tests hashes nothing, and of a hash the end is kept.
    const output = { key: 'my-key', size: 1_000_000 };
    expect(await desk.report(item.claim, { kind: 'complete', output })).toMatchObject({
      kind: 'taken',
    });
    const task = await made.task(item.taskId);
    expect([task.hasSecrets, JSON.stringify(task)]).toEqual([
      true,
      expect.not.stringContaining('my-key'),
    ]);
  });
});

describe('what a worker says', () => {
  const SAID = { kind: 'fail', terminal: true, failure: 'FAILED' } as const;

  it('is without secrets that it was given in outputs of earlier steps alone', async () => {
    const lines: string[] = [];
    const output: AttemptOutput = {
      append: (_, more) => {
        lines.push(...more.map(({ message }) => message));
        return false;
      },
      progress: () => {},
      end: () => {},
    };
    const made = await gateway({ secrets: new PlainSecrets(), output });
    const { desk } = made.engine;
    const modules = { m: { a: { secrets: ['key'] }, b: { secrets: ['key'] }, c: {} } };
    await desk.register({ worker: 'w1', slots: 1, modules });
    const { plan } = await made.submit(chain(['a', 'b', 'c']));
    for (const key of ['key-of-step-a', 'key-of-step-b']) {
      const { claim } = await fetched(made);
      await desk.report(claim, { kind: 'complete', output: { key } });
    }
    const item = await fetched(made);
    expect(item.results).toEqual({ a: { key: 'key-of-step-a' }, b: { key: 'key-of-step-b' } });
    const message = 'with key-of-step-a and key-of-step-b';
    await desk.say(item.claim, { lines: [{ message, agoMs: 0 }], dropped: 0 });
    await desk.report(item.claim, { ...SAID, message });
    const task = await made.task(plan.taskId);
    expect(lines).toEqual(['with *** and ***']);
    expect(JSON.stringify(task)).not.toMatch(/with key-of-step/);
  });

  it('is without its own secrets also while others are away', async () => {
    const safe = new MemorySecrets();
    safe.secrets.set('db', 'secret-from-elsewhere');
    const secretRules = [{ module: 'm', secrets: ['memory:db'] }];
    const secrets = new PlainSecrets();
    const made = await gateway({ secrets, secretResolvers: [safe], secretRules });
    const input = { properties: { pw: { secret: true }, other: { secret: true } } };
    const parameters = { pw: 'secret-of-the-task', other: { $secret: 'memory:db' } };
    const { plan } = await made.submit({ ...chain(['a']), input }, parameters);
    const { claim } = await fetched(made);
    safe.isAway = true;
    await made.engine.desk.report(claim, { ...SAID, message: 'with secret-of-the-task' });
    expect((await made.task(plan.taskId)).message).toContain('with ***');
  });
});
