import { describe, expect, it, jest } from '@jest/globals';
import { MODULE_LIMIT, QUEUED_ACTION } from '#ports';
import { action, chain, type EngineWorld, flow, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const ONE = chain(['a']);

/** A gateway and an executor, by default with one slot; tests hand out the messages. */
interface Backlog {
  readonly gateway: EngineWorld;
  readonly executor: EngineWorld;
  /** Names of tasks by their ids: each its number and its priority. */
  readonly names: Map<string, string>;
}

async function backlogged(redispatchAfterMs = 600_000, concurrency = 1): Promise<Backlog> {
  const timing = { redispatchAfterMs, redispatchMaxMs: redispatchAfterMs };
  const gateway = await world({ timing, executor: false });
  const { clock, store, transport } = gateway;
  transport.carry = () => 0;
  const settings = { owner: 'executor-2', concurrency };
  const executor = await world({ clock, governance: false, settings, store, timing, transport });
  return { gateway, executor, names: new Map() };
}

/** A task of each of these priorities, created a second apart. */
async function queue({ gateway, names }: Backlog, priorities: readonly number[], definition = ONE) {
  for (const priority of priorities) {
    const request = { parameters: {}, priority };
    const { task } = await gateway.engine.submit({ definition, version: 1 }, request);
    names.set(task.plan.taskId, `${names.size}:${priority}`);
    await gateway.clock.advance(1_000);
  }
}

/** Hands out every message that was sent so far, in this order. */
async function deliverAll({ gateway: { transport } }: Backlog): Promise<void> {
  const all = transport.sent.splice(0);
  for (const [place, dispatch] of all.entries()) {
    const isMixed = all.slice(place).some(({ priority }) => priority !== 0);
    transport.deliver(dispatch, isMixed ? 'mixed' : undefined);
    for (let n = 0; n < 20; n += 1) await settle();
  }
}

/** The tasks of the commands that were started. */
function started({ executor, names }: Backlog): string {
  return executor.commands.contexts.map(({ taskId }) => names.get(taskId)).join(' ');
}

function lined({ gateway: { store } }: Backlog) {
  return store.records.list(QUEUED_ACTION, { limit: 100 });
}

/** The calls about lines from now on. */
function callsOf({ gateway }: Backlog): () => string {
  const { records } = gateway.store;
  const methods = ['get', 'list', 'put', 'remove'] as const;
  const spies = methods.map((method) => jest.spyOn(records, method));
  return () => {
    const counts = spies.map(({ mock }) => {
      return mock.calls.filter(([kind]) => kind.name === QUEUED_ACTION.name).length;
    });
    for (const spy of spies) spy.mockRestore();
    return methods.map((method, n) => `${method} ${counts[n]}`).join(', ');
  };
}

const NO_CALLS = 'get 0, list 0, put 0, remove 0';

describe('actions that wait at a broker', () => {
  it('start by order time, in whatever order their messages come', async () => {
    const backlog = await backlogged();
    await queue(backlog, [0, 5, -60, 500, 0, 5, 1]);
    await deliverAll(backlog);
    expect(started(backlog)).toBe('3:500 1:5 0:0 5:5 4:0 6:1 2:-60');
    expect(await lined(backlog)).toEqual([]);
  });

  it('start by the head starts of their steps', async () => {
    const backlog = await backlogged();
    const step = { name: 'b', needs: [], normal: action('m.b'), rollback: null };
    await queue(backlog, [0, 5]);
    await queue(backlog, [0], flow([{ ...step, priority: 60 }]));
    await queue(backlog, [90], flow([{ ...step, priority: -60 }]));
    await deliverAll(backlog);
    expect(started(backlog)).toBe('2:0 1:5 0:0 3:90');
  });

  it('do not pass each other by a hand-over within a process', async () => {
    const backlog = await backlogged();
    await queue(backlog, [0, 0, 20, 10], chain(['a', 'b']));
    for (let round = 0; round < 3; round += 1) await deliverAll(backlog);
    expect(started(backlog)).toBe('2:20 2:20 3:10 3:10 0:0 1:0 0:0 1:0');
  });

  it('start once, whatever is delivered twice', async () => {
    const backlog = await backlogged();
    await queue(backlog, [1, 3, 0]);
    const { sent } = backlog.gateway.transport;
    sent.push(...sent);
    await deliverAll(backlog);
    expect(started(backlog)).toBe('1:3 0:1 2:0');
    expect(await lined(backlog)).toEqual([]);
  });

  it('all start where more messages come at the same time than a look at the line shows', async () => {
    const count = 90;
    const backlog = await backlogged(600_000, count);
    const priorities = Array.from({ length: count }, (_, n) => 1 + 3 * n);
    await queue(backlog, priorities);
    const { transport } = backlog.gateway;
    for (const dispatch of transport.sent.splice(0)) transport.deliver(dispatch);
    for (let n = 0; n < 200; n += 1) await settle();
    expect(new Set(started(backlog).split(' ')).size).toBe(count);
    expect(await lined(backlog)).toEqual([]);
  });

  it('keep their turns where their messages go to the end of the queue', async () => {
    const backlog = await backlogged();
    await queue(backlog, [0, 0, 0, 3, 0, 0]);
    const { transport } = backlog.gateway;
    const { sent } = transport;
    const [first, second, third, ...others] = sent.splice(0);
    transport.deliver(third!, 'mixed');
    for (let n = 0; n < 20; n += 1) await settle();
    for (const dispatch of [first, second]) transport.deliver(dispatch!, 'no_place');
    sent.push(...others, first!, second!);
    await deliverAll(backlog);
    expect(started(backlog)).toBe('3:3 0:0 1:0 2:0 4:0 5:0');
    expect(await lined(backlog)).toEqual([]);
  });

  it('start by the message of another action also in a process that knows of no line', async () => {
    const backlog = await backlogged();
    await queue(backlog, [5, 0, -60]);
    const { clock, store, transport } = backlog.gateway;
    const [high, plain, low] = transport.sent.splice(0);
    for (const [dispatch, crowd] of [[high, 'mixed'], [plain, 'no_place'], [low]] as const) {
      transport.deliver(dispatch!, crowd);
      for (let n = 0; n < 20; n += 1) await settle();
    }
    expect(started(backlog)).toBe('0:5 1:0');
    // It gets the message that was given back, whose action has started.
    const executor = await world({ clock, governance: false, store, transport });
    for (let n = 0; n < 20; n += 1) await settle();
    expect(started({ ...backlog, executor })).toBe('2:-60');
  });

  it('are left to their own messages where their commands are not known', async () => {
    const backlog = await backlogged();
    backlog.executor.commands.lacks.add('m.z');
    await queue(backlog, [0, 60]);
    await queue(backlog, [500], chain(['z']));
    backlog.gateway.transport.sent.pop();
    await deliverAll(backlog);
    expect(started(backlog)).toBe('1:60 0:0');
    expect(await lined(backlog)).toMatchObject([{ command: 'z' }]);
  });

  it('leave the line where they are not to be run any more', async () => {
    const backlog = await backlogged();
    await queue(backlog, [0, 60]);
    const [, ended = ''] = backlog.names.keys();
    const person = { actor: 'ann', reason: 'no', key: null } as const;
    await backlog.gateway.engine.operate(ended, { kind: 'terminate_requested', ...person });
    await deliverAll(backlog);
    expect(started(backlog)).toBe('0:0');
    expect(await lined(backlog)).toEqual([]);
  });

  it('start though what goes before them cannot be read', async () => {
    const backlog = await backlogged();
    await queue(backlog, [0, 60]);
    const { store, transport } = backlog.gateway;
    const [, broken = ''] = backlog.names.keys();
    const commit = store.commit.bind(store);
    jest.spyOn(store, 'commit').mockImplementation(async (previous, next) => {
      if (next.plan.taskId !== broken) return commit(previous, next);
      store.unreadable.set(broken, 'it is broken');
      return 'conflict';
    });
    transport.deliver(transport.sent.shift()!, 'mixed');
    for (let n = 0; n < 20; n += 1) await settle();
    expect(started(backlog)).toBe('0:0');
    expect(await lined(backlog)).toEqual([]);
  });

  it('are handed to workers in this order, whatever is delivered twice', async () => {
    const backlog = await backlogged();
    await backlog.executor.engine.stop();
    await queue(backlog, [0, 5, 500, -60]);
    const { desk } = backlog.gateway.engine;
    const order = { worker: 'w1', modules: ['m'], max: 1, waitMs: 20_000, leaseMs: 30_000 };
    const given: (string | undefined)[] = [];
    const [first, second, third] = backlog.gateway.transport.sent;
    for (const dispatch of [first!, second!, third!, first!]) {
      const polled = desk.poll(order, new AbortController().signal);
      await settle();
      backlog.gateway.transport.deliver(dispatch, 'mixed');
      const [item] = (await polled).items;
      given.push(backlog.names.get(item?.taskId ?? ''));
    }
    expect(given).toEqual(['2:500', '1:5', '0:0', '3:-60']);
  });

  it('are found by governance where a process died between line and claim', async () => {
    const backlog = await backlogged(5_000);
    await queue(backlog, [0, 60]);
    const { clock, store, transport } = backlog.gateway;
    const [{ run, taskId } = { run: '', taskId: '' }] = await lined(backlog);
    await store.records.remove(QUEUED_ACTION, `${taskId} 0 ${run}`, 'any');
    transport.sent.pop();
    await deliverAll(backlog);
    expect(started(backlog)).toBe('0:0');
    transport.carry = () => 1;
    await clock.advance(10_000);
    expect(started(backlog)).toBe('0:0 1:60');
  });
});

describe('the line of a module', () => {
  it('costs no call where nothing has a priority', async () => {
    const backlog = await backlogged();
    const calls = callsOf(backlog);
    await queue(backlog, [0, 0, 0], chain(['a', 'b']));
    await deliverAll(backlog);
    expect(backlog.executor.commands.calls).toHaveLength(6);
    expect(calls()).toBe(NO_CALLS);
  });

  it('costs a look a message until it is empty, and a write for what is passed', async () => {
    const backlog = await backlogged();
    await queue(backlog, [0, 60, 0]);
    const calls = callsOf(backlog);
    await deliverAll(backlog);
    expect(calls()).toBe('get 0, list 3, put 1, remove 2');
    const after = callsOf(backlog);
    await queue(backlog, [0, 0]);
    await deliverAll(backlog);
    expect(started(backlog)).toBe('1:60 0:0 2:0 3:0 4:0');
    expect(after()).toBe(NO_CALLS);
  });

  it('is left alone where the module has limits, which have a line of their own', async () => {
    const backlog = await backlogged();
    const none = { ratePerSecond: null, fairBy: null, fairSince: 0 };
    const stamp = { generation: 1, updatedAt: 0, updatedBy: 'ann' };
    const limit = { module: 'm', maxConcurrency: 9, ...none, ...stamp };
    await backlog.gateway.store.records.put(MODULE_LIMIT, limit, 'any');
    await backlog.gateway.clock.advance(4_000);
    const calls = callsOf(backlog);
    await queue(backlog, [0, 60]);
    await deliverAll(backlog);
    expect(started(backlog)).toBe('0:0 1:60');
    expect(calls()).toBe(NO_CALLS);
  });
});
