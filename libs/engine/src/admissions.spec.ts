import { describe, expect, it, jest } from '@jest/globals';
import type { Task } from '#core';
import { ADMISSION, MODULE_LIMIT, type ModuleLimit, WAITING_ACTION } from '#ports';
import { chain, done, EngineWorld, settle, type WorldOptions } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const SLOW = { timing: { redispatchAfterMs: 600_000, redispatchMaxMs: 600_000 } };

/** A module with limits, before any process of it starts. */
async function limited(
  limits: Partial<ModuleLimit>,
  options: WorldOptions = {},
): Promise<EngineWorld> {
  const made = new EngineWorld(options);
  await setLimits(made, limits);
  return world({
    ...SLOW,
    store: made.store,
    transport: made.transport,
    clock: made.clock,
    ...options,
  });
}

async function setLimits({ store }: EngineWorld, limits: Partial<ModuleLimit>): Promise<void> {
  const none = { maxConcurrency: null, ratePerSecond: null, fairBy: null, fairSince: 0 };
  const stamp = { generation: 1, updatedAt: 0, updatedBy: 'ann' };
  await store.records.put(MODULE_LIMIT, { module: 'm', ...none, ...stamp, ...limits }, 'any');
}

/** A second process on the same store. */
function beside(w: EngineWorld, options: WorldOptions = {}): Promise<EngineWorld> {
  const { clock, store, transport } = w;
  const settings = { owner: 'executor-2', ...options.settings };
  return world({ ...SLOW, clock, store, transport, ...options, settings });
}

async function quiet(): Promise<void> {
  for (let n = 0; n < 60; n += 1) await settle();
}

/** Commands of a name go on until they are let go, the oldest first. */
function held(w: EngineWorld, name: string): () => Promise<void> {
  const waiting: (() => void)[] = [];
  w.commands.scripts.set(name, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return done();
  });
  return async () => {
    waiting.shift()?.();
    await quiet();
  };
}

async function start(w: EngineWorld, count: number, flow = chain(['a'])): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await w.submit(flow)).plan.taskId);
  await quiet();
  return ids;
}

async function states(w: EngineWorld, ids: readonly string[]): Promise<string> {
  const tasks = await Promise.all(ids.map((id) => w.task(id)));
  return tasks.map((task) => stateOf(task)).join(' ');
}

function stateOf({ runs }: Task): string {
  return runs[0]?.normal.state ?? '';
}

describe('A module with a limit at a time', () => {
  it('starts the next in order when one has ended, and no attempt is spent on waiting', async () => {
    const w = await limited({ maxConcurrency: 3 });
    const letGo = held(w, 'm.a');
    const ids = await start(w, 4);
    expect(await states(w, ids)).toBe('running running queued queued');
    await letGo();
    expect(await states(w, ids)).toBe('succeeded running running queued');
    await letGo();
    await letGo();
    await letGo();
    expect(await states(w, ids)).toBe('succeeded succeeded succeeded succeeded');
    const last = await w.task(ids[3]!);
    expect(last.runs[0]?.normal).toMatchObject({ attempts: 1, spent: 1 });
    expect(await w.store.records.list(WAITING_ACTION, { limit: 10 })).toEqual([]);
    expect((await w.store.records.get(ADMISSION, 'm'))?.actions).toEqual([]);
  });

  it('has room for an undo while all others wait', async () => {
    const w = await limited({ maxConcurrency: 2 });
    const letGo = held(w, 'm.c');
    held(w, 'm.a');
    const [back = ''] = await start(w, 1, chain(['c', 'b']));
    const ids = await start(w, 2);
    await letGo();
    expect(await states(w, ids)).toBe('running queued');
    const person = { actor: 'ann', reason: 'no', key: null } as const;
    await w.engine.operate(back, { kind: 'rollback_requested', ...person });
    await quiet();
    expect((await w.task(back)).outcome).toBe('rolled_back');
    expect(await states(w, ids)).toBe('running queued');
  });

  it('counts the actions of every process', async () => {
    const w = await limited({ maxConcurrency: 3 });
    const letGo = held(w, 'm.a');
    const ids = await start(w, 1);
    // From now on messages come to this one.
    const v = await beside(w);
    const letOther = held(v, 'm.a');
    ids.push(...(await start(w, 3)));
    expect(w.commands.calls.length + v.commands.calls.length).toBe(2);
    expect((await states(w, ids)).match(/running/g)).toHaveLength(2);
    for (let n = 0; n < 4; n += 1) {
      await letGo();
      await letOther();
      expect((await states(w, ids)).match(/running/g)?.length ?? 0).toBeLessThanOrEqual(2);
    }
    expect(await states(w, ids)).toBe('succeeded succeeded succeeded succeeded');
  });

  it('is handed to workers one by one, and waits cost them nothing', async () => {
    const w = await limited({ maxConcurrency: 1 }, { executor: false });
    const order = { worker: 'w1', modules: ['m'], max: 5, waitMs: 20_000, leaseMs: 30_000 };
    const { signal } = new AbortController();
    const polled = w.engine.desk.poll(order, signal);
    await start(w, 3);
    const { items } = await polled;
    expect(items).toHaveLength(1);
    const more = w.engine.desk.poll(order, signal);
    await quiet();
    await w.engine.desk.report(items[0]!.claim, { kind: 'complete', output: null });
    expect((await more).items).toMatchObject([{ attempt: 1 }]);
  });

  it('frees the places of a process that died', async () => {
    const w = await limited({ maxConcurrency: 1 });
    held(w, 'm.a');
    const gateway = await beside(w, { executor: false });
    const ids = await start(w, 2);
    expect(await states(w, ids)).toBe('running queued');
    // The process is cut off for longer than its lease.
    w.engine.pieces.state.session.renew = () => Promise.resolve(false);
    const next = await beside(w, { settings: { owner: 'executor-3' } });
    await w.clock.advance(60_000);
    await quiet();
    expect(gateway.engine.pieces.state.limits.hasAny).toBe(true);
    expect(next.commands.calls.length).toBeGreaterThan(0);
    expect(await states(w, ids)).toBe('succeeded succeeded');
  });

  it('takes out what runs no more, whoever failed to say so', async () => {
    const w = await limited({ maxConcurrency: 1 });
    const letGo = held(w, 'm.a');
    const ids = await start(w, 2);
    const { admissions } = w.engine.pieces.state;
    const { end } = admissions;
    admissions.end = () => {};
    await letGo();
    admissions.end = end;
    expect(await states(w, ids)).toBe('succeeded queued');
    await w.clock.advance(12_000);
    expect(await states(w, ids)).toBe('succeeded running');
  });

  it('calls again where the message of a call was lost', async () => {
    const w = await limited({ maxConcurrency: 1 });
    const letGo = held(w, 'm.a');
    const ids = await start(w, 3);
    w.transport.carry = () => 0;
    await letGo();
    expect(await states(w, ids)).toBe('succeeded queued queued');
    w.transport.carry = () => 1;
    await w.clock.advance(14_000);
    expect(await states(w, ids)).toBe('succeeded queued running');
    await letGo();
    expect(await states(w, ids)).toBe('succeeded running succeeded');
  });

  it('counts what ran before it was set', async () => {
    const w = await world(SLOW);
    held(w, 'm.a');
    const ids = await start(w, 2);
    await setLimits(w, { maxConcurrency: 2, updatedAt: w.clock.now() });
    await w.clock.advance(40_000);
    expect((await w.store.records.get(ADMISSION, 'm'))?.actions).toHaveLength(2);
    const more = await start(w, 1);
    expect(await states(w, [...ids, ...more])).toBe('running running queued');
  });

  it('lets everything go that waits once it is removed', async () => {
    const w = await limited({ maxConcurrency: 1 });
    held(w, 'm.a');
    const ids = await start(w, 3);
    await w.store.records.remove(MODULE_LIMIT, 'm', 'any');
    await w.clock.advance(12_000);
    expect(await states(w, ids)).toBe('running running running');
    expect(await w.store.records.list(ADMISSION, { limit: 10 })).toEqual([]);
  });

  it('takes the values of a label in turns', async () => {
    const w = await limited({ maxConcurrency: 1, fairBy: 'tenant' });
    const order: string[] = [];
    const letGo = held(w, 'm.a');
    const submit = async (tenant: string): Promise<void> => {
      const definition = chain(['a']);
      const request = { parameters: {}, labels: { tenant } };
      await w.engine.submit({ definition, version: 1 }, request);
      await quiet();
    };
    for (const tenant of ['x', 'x', 'x', 'x', 'y', 'y', 'z']) await submit(tenant);
    for (let n = 0; n < 7; n += 1) {
      const { taskId } = w.commands.contexts.at(-1)!;
      order.push((await w.task(taskId)).plan.labels['tenant']!);
      await letGo();
    }
    expect(order.join('')).toBe('xxyzxyx');
  });
});

describe('A module with a rate', () => {
  it('starts one action in its part of a second, whatever waits', async () => {
    const w = await limited({ ratePerSecond: 2 });
    const ids = await start(w, 4);
    expect(await states(w, ids)).toBe('succeeded queued queued queued');
    await w.clock.advance(600);
    expect((await states(w, ids)).match(/succeeded/g)).toHaveLength(2);
    await w.clock.advance(1_000);
    expect((await states(w, ids)).match(/succeeded/g)).toHaveLength(4);
  });
});

describe('A module without limits', () => {
  it('costs a claim no read and no write more', async () => {
    const w = await limited({ module: 'other', maxConcurrency: 1 });
    await quiet();
    const { records } = w.store;
    const calls = [
      jest.spyOn(records, 'get'),
      jest.spyOn(records, 'list'),
      jest.spyOn(records, 'put'),
    ];
    await start(w, 3, chain(['a', 'b']));
    for (const each of calls) expect(each).not.toHaveBeenCalled();
  });
});
