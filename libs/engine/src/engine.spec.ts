import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TIMING, TASK_STATUS, type Task } from '#core';
import type { TaskSummary } from '#core/stored';
import { transition } from '#core/transitions';
import { StoreUnavailable } from '#ports';
import { action, chain, done, fails, flow, MemoryStore, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const states = (task: Task) => task.runs.map(({ normal }) => normal.state);
const undone = (task: Task) => task.runs.map(({ rollback }) => rollback?.state ?? null);

describe('going forward', () => {
  it('runs a chain step by step and gives each step what those before it gave back', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => done({ host: 'h1' }));
    const task = await w.submit(chain(['a', 'b', 'c']), { cpu: 4 });
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal', 'c:normal']);
    expect(w.commands.contexts[2]?.parameters).toEqual({ cpu: 4, host: 'h1' });
    expect(task.cursor).toBe(2);
    expect(task.wakeAt).toBeNull();
    // Insert with the first claim, then one commit a step.
    expect(task.revision).toBe(4);
  });

  it('does not let a follow-up pass over what goes before it and waits here', async () => {
    const w = await world();
    let served = 0;
    const line = { nextAt: -Infinity, serve: () => (served += 1) };
    w.commands.scripts.set('m.a', () => {
      w.engine.pieces.state.slots.places('m').join(line);
      return done();
    });
    const task = await w.submit(chain(['a', 'b']));
    // It travels, and its delivery finds no slot either while the other waits.
    expect(states(task)).toEqual(['succeeded', 'queued']);
    expect(served).toBeGreaterThan(0);
    expect(w.transport.sent).toHaveLength(1);
    line.nextAt = Infinity;
    w.transport.deliver(w.transport.sent[0]!);
    await settle();
    expect(states(await w.task(task.plan.taskId))).toEqual(['succeeded', 'succeeded']);
  });

  it('runs steps without a dependency side by side and joins them', async () => {
    const w = await world();
    const gates: (() => void)[] = [];
    const held = () => new Promise<ReturnType<typeof done>>((r) => gates.push(() => r(done())));
    w.commands.scripts.set('m.left', held);
    w.commands.scripts.set('m.right', held);
    const step = (name: string, needs: number[]) => ({
      name,
      needs,
      normal: action(`m.${name}`),
      rollback: null,
    });
    const task = await w.submit(
      flow([step('top', []), step('left', [0]), step('right', [0]), step('end', [1, 2])]),
    );
    expect(states(task)).toEqual(['succeeded', 'running', 'running', 'pending']);
    for (const open of gates) open();
    await settle();
    await w.clock.advance(100);
    expect(states(await w.task(task.plan.taskId))).toEqual(Array(4).fill('succeeded'));
  });

  it('retries at once as often as allowed, and counts', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', (_, calls) => (calls < 2 ? fails('busy', false) : done()));
    const retry = {
      attempts: 4,
      backoff: 'none',
      delayMs: 0,
      maxDelayMs: null,
      jitter: false,
    } as const;
    const task = await w.submit(chain(['a'], { normal: action('m.a', { retry }) }));
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal.attempts).toBe(3);
  });

  it('waits between attempts as the policy says', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => fails('busy', false));
    const retry = {
      attempts: 3,
      backoff: 'exponential',
      delayMs: 1_000,
      maxDelayMs: null,
      jitter: false,
    } as const;
    const { plan } = await w.submit(chain(['a'], { normal: action('m.a', { retry }) }));
    await w.clock.advance(999);
    expect(w.commands.calls).toHaveLength(1);
    await w.clock.advance(1);
    expect(w.commands.calls).toHaveLength(2);
    await w.clock.advance(3_000);
    expect(w.commands.calls).toEqual(['a:normal', 'a:normal', 'a:normal', 'a:rollback']);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
  });

  it('looks again without spending attempts, and at the deadline one last time', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => ({ kind: 'not_finished', afterMs: 40_000 }));
    const { plan } = await w.submit(chain(['a']));
    await w.clock.advance(41_000);
    expect(w.commands.calls).toHaveLength(2);
    w.commands.scripts.set('m.a', () => done());
    await w.clock.advance(20_000);
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal.attempts).toBe(1);
  });
});

describe('a command whose store is away', () => {
  const away = (message: string) => () =>
    ({ kind: 'not_finished', afterMs: 2_000, message }) as const;

  it('is called again without spending attempts, and the task says what is in the way', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', away('no server'));
    const { plan } = await w.submit(chain(['a'], { normal: action('m.a') }));
    await w.clock.advance(5_000);
    const waiting = (await w.task(plan.taskId)).runs[0]?.normal;
    expect(waiting).toMatchObject({ state: 'waiting', message: 'no server', attempts: 1 });
    w.commands.scripts.set('m.a', away('no primary'));
    await w.clock.advance(4_000);
    w.commands.scripts.set('m.a', () => done());
    await w.clock.advance(3_000);
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal).toMatchObject({ message: null, attempts: 1 });
    const noted = task.journal.entries().filter(({ kind }) => kind === 'not_finished');
    expect(noted.map(({ message }) => message)).toEqual(['no server', 'no primary']);
  });

  it('calls no person from a rollback while the rollback has time', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', () => fails('no', true));
    w.commands.scripts.set('m.undo_a', away('no server'));
    const { plan } = await w.submit(chain(['a', 'b']));
    await w.clock.advance(10_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolling_back);
    w.commands.scripts.set('m.undo_a', () => done());
    await w.clock.advance(3_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
  });
});

describe('going back', () => {
  it('undoes the failed step too, then the others, last first, with its own budget', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => done({ id: 7 }));
    w.commands.scripts.set('m.c', () => fails('no room'));
    const task = await w.submit(chain(['a', 'b', 'c', 'd']));
    expect(w.commands.calls.slice(3)).toEqual(['c:rollback', 'b:rollback', 'a:rollback']);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(task.cursor).toBe(2);
    expect(states(task)).toEqual(['succeeded', 'succeeded', 'failed', 'pending']);
    expect(undone(task)).toEqual(['succeeded', 'succeeded', 'succeeded', 'none']);
    expect(w.commands.contexts.at(-1)?.output).toEqual({ id: 7 });
    expect(task.message).toContain('no room');
  });

  it('passes over a step without a rollback', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', () => fails());
    const task = await w.submit(chain(['a', 'b'], { rollback: null }));
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal']);
  });

  it('calls a person when a rollback fails, and goes on after retry or skip', async () => {
    const w = await world();
    w.commands.scripts.set('m.c', () => fails());
    w.commands.scripts.set('m.undo_b', () => fails('stuck'));
    const { plan } = await w.submit(chain(['a', 'b', 'c']));
    const stuck = await w.task(plan.taskId);
    expect(stuck.status).toBe(TASK_STATUS.rollback_failed);
    expect(w.commands.calls.at(-1)).toBe('alert:normal');
    expect(await w.task(stuck.alert?.taskId ?? '')).toMatchObject({ outcome: 'succeeded' });
    expect(stuck.wakeAt).not.toBeNull();
    const act = { actor: 'ann', reason: 'cleaned by hand', key: 'k1' };
    await w.engine.operate(plan.taskId, { kind: 'retry_requested', ...act });
    await settle();
    const again = await w.task(plan.taskId);
    expect(again.status).toBe(TASK_STATUS.rollback_failed);
    expect(again.message).toBe('rollback of step b (m.undo_b) failed: stuck');
    const wrong = { kind: 'skip_requested', step: 'a', ...act, key: null } as const;
    expect(await w.engine.operate(plan.taskId, wrong)).toMatchObject({
      message: "only a step whose rollback failed can be skipped: b; a's is pending",
    });
    const skip = { kind: 'skip_requested', step: 'b', ...act, key: 'k2' } as const;
    await w.engine.operate(plan.taskId, skip);
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(undone(task)).toEqual(['succeeded', 'skipped', 'succeeded']);
    // Why it is there at all, not what was in the way.
    expect(task.message).toMatch(/^step c \(m\.c\) failed: /);
    expect((await w.engine.operate(plan.taskId, skip)).kind).toBe('ignored');
  });

  it('a person turns a running task round: the command is called off, then undone', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', ({ signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(fails('stopped', false)));
      });
    });
    const { plan } = await w.submit(chain(['a', 'b', 'c']));
    const act = { actor: 'ann', reason: 'wrong host', key: null };
    await w.engine.operate(plan.taskId, { kind: 'rollback_requested', ...act });
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls.slice(2)).toEqual(['b:rollback', 'a:rollback']);
  });

  it.each([
    ['is told to stop', {}, true],
    ['goes on to its end where the flow says so', { onTimeout: 'wait' }, false],
  ] as const)('a command that runs when the time is over %s', async (_, more, isAborted) => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.b', () => new Promise((r) => (finish = () => r(done()))));
    const definition = { ...chain(['a', 'b', 'c']), timeoutMs: 20_000, ...more };
    const { plan } = await w.submit(definition);
    await w.clock.advance(25_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolling_back);
    expect(w.commands.contexts[1]?.signal.aborted).toBe(isAborted);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal']);
    finish();
    await w.clock.advance(25_000);
    const task = await w.task(plan.taskId);
    expect([task.status, states(task)[2]]).toEqual([TASK_STATUS.rolled_back, 'pending']);
    expect([task.runs[1]?.normal.state, undone(task)[1]]).toEqual(['succeeded', 'succeeded']);
  });

  it('a person terminates: nothing is undone, the late result changes nothing', async () => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.b', () => new Promise((r) => (finish = () => r(done()))));
    const { plan } = await w.submit(chain(['a', 'b', 'c']));
    const act = { actor: 'ann', reason: 'enough', key: null };
    await w.engine.operate(plan.taskId, { kind: 'terminate_requested', ...act });
    finish();
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.terminated);
    expect(states(task)).toEqual(['succeeded', 'terminated', 'pending']);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal']);
    const again = await w.engine.operate(plan.taskId, { kind: 'rollback_requested', ...act });
    expect(again).toMatchObject({ kind: 'refused', code: 'ILLEGAL_ACTION' });
  });
});

describe('when something is lost', () => {
  it('a lost message is sent again by governance', async () => {
    const w = await world({ executor: false });
    w.transport.carry = () => 0;
    const { plan } = await w.submit(chain(['a']));
    const other = await world({ store: w.store, transport: w.transport, clock: w.clock });
    w.transport.carry = () => 1;
    await w.clock.advance(7_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(other.commands.calls).toEqual(['a:normal']);
  });

  it('a broker that is down loses nothing', async () => {
    const w = await world({ executor: false });
    w.transport.down = true;
    const { plan } = await w.submit(chain(['a', 'b']));
    w.transport.down = false;
    await world({ store: w.store, transport: w.transport, clock: w.clock });
    await w.clock.advance(30_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
  });

  it('repeated messages run a step once', async () => {
    const w = await world({ executor: false });
    w.transport.carry = () => 3;
    const other = await world({ store: w.store, transport: w.transport, clock: w.clock });
    await w.submit(chain(['a', 'b']));
    await w.clock.advance(100);
    expect(other.commands.calls).toEqual(['a:normal', 'b:normal']);
  });

  it('a dead executor’s step is taken over after its lease, and the zombie changes nothing', async () => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.a', () => new Promise((r) => (finish = () => r(fails('late')))));
    const retry = {
      attempts: 2,
      backoff: 'none',
      delayMs: 0,
      maxDelayMs: null,
      jitter: false,
    } as const;
    const { plan } = await w.submit(chain(['a'], { normal: action('m.a', { retry }) }));
    // A renewal that never reaches the store is what a stopped process looks like.
    w.engine.pieces.state.session.renew = () => Promise.resolve(true);
    w.engine.release.tick = () => Promise.resolve();
    w.engine.pieces.state.isStopping = true;
    w.engine.pieces.strays.forget();
    const settings = { owner: 'executor-2' };
    const { clock, store, transport } = w;
    const other = await world({ store, transport, clock, settings });
    await w.clock.advance(20_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(other.commands.calls).toEqual(['a:normal']);
    finish();
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal.attempts).toBe(2);
  });

  it('a running command keeps its lease', async () => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.a', () => new Promise((r) => (finish = () => r(done()))));
    const { plan } = await w.submit(chain(['a']));
    await w.clock.advance(50_000);
    finish();
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal.attempts).toBe(1);
  });

  it('a stopping executor hands back what does not finish', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => new Promise(() => {}));
    const { plan } = await w.submit(chain(['a']));
    const stopped = w.engine.stop();
    await w.clock.advance(5_000);
    await stopped;
    expect((await w.task(plan.taskId)).runs[0]?.normal).toMatchObject({
      state: 'queued',
      spent: 0,
    });
  });
});

describe('when the store does not answer', () => {
  it('an outcome waits, and a lease that ran out meanwhile is no failed attempt', async () => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.a', () => new Promise((r) => (finish = () => r(done()))));
    const { plan } = await w.submit(chain(['a']));
    w.store.down = true;
    await w.clock.advance(25_000);
    finish();
    await w.clock.advance(5_000);
    w.store.down = false;
    await w.clock.advance(5_000);
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal.attempts).toBe(1);
  });

  it('a command goes on while its session cannot be renewed', async () => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.a', () => new Promise((r) => (finish = () => r(done()))));
    const { plan } = await w.submit(chain(['a']));
    w.store.down = true;
    await w.clock.advance(25_000);
    expect(w.commands.contexts[0]?.signal.aborted).toBe(false);
    w.store.down = false;
    await w.clock.advance(10_000);
    finish();
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(w.commands.calls).toEqual(['a:normal']);
  });

  it('a command that stops because its session has ended has not failed', async () => {
    const w = await world();
    let runs = 0;
    w.commands.scripts.set('m.a', ({ signal }) => {
      runs += 1;
      if (runs > 1) return Promise.resolve(done());
      return new Promise((r) => signal.addEventListener('abort', () => r(fails('stopped', false))));
    });
    const { plan } = await w.submit(chain(['a']));
    await w.store.closeSession('executor-1');
    const tick = w.engine.release.tick.bind(w.engine.release);
    // The process finds it before its own watch does.
    w.engine.release.tick = () => Promise.resolve();
    await w.clock.advance(4_000);
    w.engine.release.tick = tick;
    await w.clock.advance(10_000);
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(task.runs[0]?.normal.spent).toBe(1);
    expect(
      task.journal
        .entries()
        .filter(({ kind }) => kind === 'started')
        .at(-1)?.actor,
    ).toBe('executor-1~2');
  });

  it('governance gives executors time to say that they live before it judges leases', async () => {
    const w = await world();
    let finish = (): void => {};
    w.commands.scripts.set('m.a', () => new Promise((r) => (finish = () => r(done()))));
    const normal = action('m.a', { timeoutMs: 3_600_000 });
    const { plan } = await w.submit(chain(['a'], { normal }));
    for (let outageMs = 20_000; outageMs < 22_000; outageMs += 300) {
      w.store.down = true;
      await w.clock.advance(outageMs);
      w.store.down = false;
      await w.clock.advance(10_000);
    }
    finish();
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.journal.entries().map(({ kind }) => kind)).not.toContain('lease_lost');
    expect(task.status).toBe(TASK_STATUS.succeeded);
  });

  it('a request whose key a process claimed that died is stored under the id of the claim', async () => {
    const w = await world();
    const insert = w.store.insert.bind(w.store);
    w.store.insert = async (task) => {
      if (task.plan.taskId === 'claimed') return insert(task);
      return { kind: 'reserved', taskId: 'claimed' };
    };
    const submit = () => {
      const request = { parameters: {}, idempotencyKey: 'k' };
      return w.engine.submit({ definition: chain(['a']), version: 1 }, request);
    };
    const plan = { taskId: 'claimed', idempotencyKey: 'k' };
    expect(await submit()).toMatchObject({ kind: 'created', task: { plan } });
    expect(await submit()).toMatchObject({ kind: 'duplicate', task: { plan } });
    await settle();
    expect(w.commands.calls).toEqual(['a:normal']);
  });

  it('a claim whose answer was lost is run all the same, once', async () => {
    const w = await world();
    w.store.loseNextAnswer = true;
    const definition = chain(['a', 'b']);
    const lost = w.engine.submit({ definition, version: 1 }, { parameters: {} });
    await expect(lost).rejects.toThrow('lost');
    await w.clock.advance(2_000);
    const [task] = (await w.store.list({ limit: 1 })).items as readonly TaskSummary[];
    expect(task?.status).toBe(TASK_STATUS.succeeded);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal']);
  });

  it('a claim that is stored long after its write was given up is run all the same, once', async () => {
    const store = new MemoryStore();
    const w = await world({ store });
    const landLate: (() => void)[] = [];
    const insert = MemoryStore.prototype.insert.bind(store);
    store.insert = (task) => {
      landLate.push(() => void insert(task));
      return Promise.reject(new StoreUnavailable('no answer'));
    };
    const lost = w.engine.submit({ definition: chain(['a']), version: 1 }, { parameters: {} });
    await expect(lost).rejects.toThrow('no answer');
    await w.clock.advance(3_000);
    for (const land of landLate) land();
    await w.clock.advance(8_000);
    const [task] = store.contents.tasks.values();
    expect(task?.status).toBe(TASK_STATUS.succeeded);
    expect(task?.journal.entries().map(({ kind }) => kind)).not.toContain('lease_lost');
    expect(w.commands.calls).toEqual(['a:normal']);
  });

  it('a claim that was stored before a long outage is run after it, once', async () => {
    const w = await world();
    w.store.loseNextAnswer = true;
    const lost = w.engine.submit({ definition: chain(['a']), version: 1 }, { parameters: {} });
    await expect(lost).rejects.toThrow('lost');
    w.store.down = true;
    await w.clock.advance(120_000);
    w.store.down = false;
    await w.clock.advance(5_000);
    const [task] = w.store.contents.tasks.values();
    expect(task?.status).toBe(TASK_STATUS.succeeded);
    expect(task?.journal.entries().map(({ kind }) => kind)).not.toContain('lease_lost');
    expect(w.commands.calls).toEqual(['a:normal']);
  });

  it('a claim of its own that a message leads to is run, and the message not just dropped', async () => {
    const gateway = await world({ executor: false, settings: { owner: 'gateway' } });
    const { clock, store, transport } = gateway;
    const { plan } = await gateway.submit(chain(['a']));
    const queued = await gateway.task(plan.taskId);
    const moment = { now: clock.now(), chance: 0, timing: DEFAULT_TIMING };
    const lease = { attempt: 1, owner: 'executor-1', leaseMs: 10_000 };
    const event = { kind: 'claimed', direction: 'normal', step: 0, ...lease } as const;
    const claimed = transition(queued, event, { moment });
    if (claimed.kind !== 'moved') throw new Error('it was to be claimed');
    await store.commit(queued, claimed.task);
    const executor = await world({ store, transport, clock });
    await clock.advance(1_000);
    expect((await executor.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(executor.commands.calls).toEqual(['a:normal']);
  });

  it('a claim whose answer comes after it was found in the store is run once', async () => {
    const store = new MemoryStore();
    const w = await world({ store });
    const insert = store.insert.bind(store);
    let answer = (): void => {};
    store.insert = async (task) => {
      const result = await insert(task);
      await new Promise<void>((resolve) => (answer = resolve));
      return result;
    };
    const submitted = w.engine.submit({ definition: chain(['a']), version: 1 }, { parameters: {} });
    await settle();
    const [taskId = ''] = store.contents.tasks.keys();
    w.engine.pieces.strays.lookLater(taskId);
    await w.clock.advance(100);
    expect((await w.task(taskId)).status).toBe(TASK_STATUS.succeeded);
    answer();
    await submitted;
    await settle();
    expect(w.commands.calls).toEqual(['a:normal']);
  });

  it('a claim that is found in a document read long ago is not run again', async () => {
    const store = new MemoryStore();
    const w = await world({ store });
    const insert = store.insert.bind(store);
    const get = store.get.bind(store);
    const inserted: Task[] = [];
    store.insert = (task) => {
      inserted.push(task);
      return insert(task);
    };
    const { plan } = await w.submit(chain(['a']));
    store.get = async (taskId) => {
      store.get = get;
      return inserted.find((task) => task.plan.taskId === taskId) ?? null;
    };
    w.engine.pieces.strays.lookLater(plan.taskId);
    await w.clock.advance(1_000);
    expect(w.commands.calls).toEqual(['a:normal']);
  });

  it('an undo of a task that has ended, whose write lands late, is run soon', async () => {
    const store = new MemoryStore();
    const w = await world({ store });
    const { plan } = await w.submit(chain(['a']));
    const commit = store.commit.bind(store);
    let land = (): Promise<unknown> => Promise.resolve();
    store.commit = (before, after) => {
      store.commit = commit;
      land = () => commit(before, after);
      return Promise.reject(new StoreUnavailable('no answer'));
    };
    const undo = { kind: 'undo_requested', actor: 'ann', reason: 'why', key: null } as const;
    await expect(w.engine.operate(plan.taskId, undo)).rejects.toThrow(StoreUnavailable);
    await w.clock.advance(1_000);
    await land();
    await w.clock.advance(3_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback']);
  });

  it('one search serves all the writes that a task lost at once, and ends', async () => {
    const store = new MemoryStore();
    const w = await world({ store, executor: false, settings: { leaseMs: 1_000 } });
    const { plan } = await w.submit(chain(['a']));
    const get = store.get.bind(store);
    const looks: number[] = [];
    store.get = (taskId) => {
      looks.push(w.clock.now());
      return get(taskId);
    };
    const { strays } = w.engine.pieces;
    const began = w.clock.now();
    for (let lost = 0; lost < 20; lost++) strays.lookLater(plan.taskId);
    await w.clock.advance(60_000);
    const waits = looks.map((at) => at - began);
    expect(waits).toEqual([100, 300, 700, 1_500, 3_100, 6_300, 12_700, 15_000]);
  });
});
