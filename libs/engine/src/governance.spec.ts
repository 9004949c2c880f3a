import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TASK_STATUS, type Task } from '#core';
import { type CommandContext, StoreUnavailable } from '#ports';
import { action, chain, done, EngineWorld, ManualClock, ScriptedCommands, settle } from '#testing';

const REDISPATCH_MS = 5_000;
const INTERVAL_MS = 1_000;
/** Of an action of the test world. */
const TIMEOUT_MS = 60_000;
/** At 200 tasks a round that cannot be moved. */
const ROUNDS_FOR_900 = 5;

jest.setTimeout(240_000);

const worlds: EngineWorld[] = [];

/** A gateway alone, and later an executor beside it. */
async function world(options: ConstructorParameters<typeof EngineWorld>[0] = {}) {
  const made = new EngineWorld({ executor: false, ...options });
  worlds.push(made);
  await made.engine.start();
  return made;
}

async function submitMany({ engine }: EngineWorld, count: number): Promise<void> {
  const flow = { definition: chain(['a']), version: 1 };
  const request = { parameters: {} };
  await Promise.all(Array.from({ length: count }, () => engine.submit(flow, request)));
  await settle();
}

afterEach(async () => {
  for (const { clock, engine } of worlds.splice(0)) {
    const stopped = engine.stop();
    await clock.advance(10_000);
    await stopped;
  }
});

describe('governance while the broker is away', () => {
  it('leaves what waits for a message as it is, however long that lasts', async () => {
    const w = await world();
    w.transport.down = true;
    const { plan, revision } = await w.submit(chain(['a']));
    await w.clock.advance(3_600_000);
    expect((await w.task(plan.taskId)).revision).toBe(revision);
  });

  it('sends everything that is due in the first round after the broker came back, once', async () => {
    const w = await world();
    w.transport.down = true;
    await submitMany(w, 300);
    await w.clock.advance(10 * REDISPATCH_MS);
    expect(w.transport.sent).toHaveLength(0);
    w.transport.down = false;
    await w.clock.advance(INTERVAL_MS);
    expect(w.transport.sent).toHaveLength(300);
    await w.clock.advance(2 * REDISPATCH_MS - INTERVAL_MS);
    expect(w.transport.sent).toHaveLength(300);
  });

  it('still ends a task whose time is over', async () => {
    const w = await world();
    w.transport.down = true;
    const { plan } = await w.submit({ ...chain(['a']), timeoutMs: 60_000 });
    await w.clock.advance(60_000 + INTERVAL_MS);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
  });

  it('comes to every task that is due, however many wait for a message', async () => {
    const w = await world();
    w.transport.down = true;
    await submitMany(w, 900);
    const { plan } = await w.submit({ ...chain(['a']), timeoutMs: 2 * REDISPATCH_MS });
    await w.clock.advance(2 * REDISPATCH_MS + ROUNDS_FOR_900 * INTERVAL_MS);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
  });

  it('still starts what this process can run itself', async () => {
    const w = await world();
    w.transport.down = true;
    const { plan } = await w.submit(chain(['a']));
    const { clock, store, transport } = w;
    const other = await world({ executor: true, store, transport, clock });
    await w.clock.advance(REDISPATCH_MS + INTERVAL_MS);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(other.commands.calls).toEqual(['a:normal']);
  });
});

describe('governance beside a long queue', () => {
  it('looks for what was lost soon after the queue has got short, however long that took', async () => {
    const w = await world();
    const { clock, store, transport } = w;
    transport.carry = () => 0;
    const { plan } = await w.submit(chain(['a']));
    transport.carry = () => 1;
    await submitMany(w, 60);
    await clock.advance(100 * REDISPATCH_MS);
    expect(transport.sent).toHaveLength(61);
    await world({ executor: true, store, transport, clock });
    await clock.advance(REDISPATCH_MS + INTERVAL_MS);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
  });
});

describe('governance of three gateways', () => {
  const LEASE_MS = 10_000;
  const TASKS = 60;

  /** Gateways on one store, the last with a clock of its own; and who looked at which task. */
  async function gateways(clock: ManualClock, lastClock: ManualClock) {
    const first = await world({ clock, settings: { owner: 'gateway-1' } });
    const { store, transport } = first;
    const looks: { readonly part: number | undefined; readonly taskId: string }[] = [];
    const findDue = store.findDue.bind(store);
    store.findDue = async (now, limit, range) => {
      const due = await findDue(now, limit, range);
      const part = range?.share?.part;
      looks.push(...due.map(({ plan }) => ({ part, taskId: plan.taskId })));
      return due;
    };
    await world({ clock, store, transport, settings: { owner: 'gateway-2' } });
    await world({ clock: lastClock, store, transport, settings: { owner: 'gateway-3' } });
    await clock.advance(2 * INTERVAL_MS);
    transport.down = true;
    await submitMany(first, TASKS);
    transport.down = false;
    return { clock, looks, transport };
  }

  it('looks at each due task once, and each gateway at some of them', async () => {
    const clock = new ManualClock();
    const { looks, transport } = await gateways(clock, clock);
    await clock.advance(REDISPATCH_MS + INTERVAL_MS);
    expect(looks).toHaveLength(TASKS);
    expect(new Set(looks.map(({ taskId }) => taskId)).size).toBe(TASKS);
    expect(new Set(looks.map(({ part }) => part))).toEqual(new Set([0, 1, 2]));
    expect(transport.sent).toHaveLength(TASKS);
  });

  it('takes over the share of one that was killed, and divides again once it is over', async () => {
    const { clock, looks, transport } = await gateways(new ManualClock(), new ManualClock());
    await clock.advance(REDISPATCH_MS + INTERVAL_MS);
    const { size } = new Set(looks.map(({ taskId }) => taskId));
    expect(size).toBeLessThan(TASKS);
    await clock.advance(2 * INTERVAL_MS);
    expect(new Set(looks.map(({ taskId }) => taskId)).size).toBe(TASKS);
    expect(transport.sent).toHaveLength(TASKS);
    await clock.advance(LEASE_MS);
    const parts = new Set<number | undefined>();
    for (let round = 0; round < 20; round += 1) {
      looks.splice(0);
      await clock.advance(INTERVAL_MS);
      expect(new Set(looks.map(({ taskId }) => taskId)).size).toBe(looks.length);
      for (const { part } of looks) parts.add(part);
    }
    expect(parts).toEqual(new Set([0, 1]));
  });
});

describe('governance whose clock was wrong', () => {
  const HOUR_MS = 3_600_000;
  const LEASE_MS = 10_000;

  it('judges leases again one lease after it could not see, whatever its clock was then', async () => {
    const w = await world();
    const { store, transport } = w;
    const normal = action('m.a', { timeoutMs: 10 * HOUR_MS });
    const { plan } = await w.submit(chain(['a'], { normal }));
    const commands = new ScriptedCommands();
    commands.scripts.set('m.a', () => new Promise(() => {}));
    const settings = { owner: 'executor-2' };
    await world({ executor: true, store, transport, commands, settings });
    await settle();
    expect((await w.task(plan.taskId)).runs[0]?.normal.state).toBe('running');
    store.down = true;
    w.clock.misset(HOUR_MS);
    await w.clock.advance(INTERVAL_MS);
    store.down = false;
    w.clock.misset(0);
    await w.clock.advance(2 * LEASE_MS + 2 * INTERVAL_MS);
    const kinds = (await w.task(plan.taskId)).journal.entries().map(({ kind }) => kind);
    expect(kinds).toContain('lease_lost');
  });

  it.each([HOUR_MS, -HOUR_MS])(
    'leaves a running command alone when the clock is set by %d ms',
    async (byMs) => {
      const w = await world({ executor: true });
      const finish: (() => void)[] = [];
      w.commands.scripts.set('m.a', () => new Promise((r) => finish.push(() => r(done()))));
      const { plan } = await w.submit(chain(['a']));
      await w.clock.advance(INTERVAL_MS);
      w.clock.misset(byMs);
      await w.clock.advance(3 * LEASE_MS);
      expect(w.commands.contexts[0]?.signal.aborted).toBe(false);
      for (const tell of finish) tell();
      await settle();
      const task = await w.task(plan.taskId);
      expect(task.status).toBe(TASK_STATUS.succeeded);
      expect(task.journal.entries().map(({ kind }) => kind)).not.toContain('lease_lost');
      expect(w.commands.calls).toEqual(['a:normal']);
    },
  );
});

describe('a command that is claimed while a clock is set', () => {
  it.each([3_600_000, -3_600_000])('by %d ms has all of its time', async (byMs) => {
    const w = await world({ executor: true });
    let error = 0;
    jest.spyOn(w.observer, 'committed').mockImplementation(() => w.clock.misset((error += byMs)));
    const left: number[] = [];
    const noted = (context: CommandContext) => {
      left.push(context.timeLeft());
      return done();
    };
    for (const name of ['m.a', 'm.b']) w.commands.scripts.set(name, noted);
    const { plan } = await w.submit(chain(['a', 'b']));
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(left).toEqual([TIMEOUT_MS, TIMEOUT_MS]);
  });
});

describe('governance beside executors that live', () => {
  const LEASE_MS = 10_000;
  const LONG = { timeoutMs: 3_600_000 };
  const kindsOf = (task: Task) => task.journal.entries().map(({ kind }) => kind);

  /** A task whose only command runs in a process that no renewal of reaches the store. */
  async function unrenewed(w: EngineWorld): Promise<string> {
    const { plan } = await w.submit(chain(['a'], { normal: action('m.a', LONG) }));
    const commands = new ScriptedCommands();
    commands.scripts.set('m.a', () => new Promise(() => {}));
    const { store, transport } = w;
    const settings = { owner: 'executor-2' };
    // Its clock stands still, and so does its lease keeper.
    const clock = new ManualClock();
    worlds.push(new EngineWorld({ store, transport, commands, settings, clock }));
    await worlds.at(-1)?.engine.start();
    await settle();
    expect((await w.task(plan.taskId)).runs[0]?.normal.state).toBe('running');
    return plan.taskId;
  }

  it('leaves the leases alone that its own process holds', async () => {
    const w = await world({ executor: true });
    const finish: (() => void)[] = [];
    w.commands.scripts.set('m.a', () => new Promise((r) => finish.push(() => r(done()))));
    const { plan } = await w.submit(chain(['a'], { normal: action('m.a', LONG) }));
    const commit = w.store.commit.bind(w.store);
    // Renewals are lost, everything else is stored.
    w.store.commit = (previous, next) =>
      next.journalSeq === previous.journalSeq && next.status === previous.status
        ? Promise.reject(new StoreUnavailable('no answer'))
        : commit(previous, next);
    await w.clock.advance(5 * LEASE_MS);
    w.store.commit = commit;
    expect(kindsOf(await w.task(plan.taskId))).not.toContain('lease_lost');
    expect(finish).toHaveLength(1);
    for (const tell of finish) tell();
  });

  it('takes an answer that came late for a time in which nobody could renew', async () => {
    const w = await world();
    const taskId = await unrenewed(w);
    const listSessions = w.store.listSessions.bind(w.store);
    w.store.listSessions = async () => {
      w.store.listSessions = listSessions;
      await w.clock.sleep(LEASE_MS + INTERVAL_MS);
      return listSessions();
    };
    await w.clock.advance(2 * LEASE_MS);
    expect(kindsOf(await w.task(taskId))).not.toContain('lease_lost');
    await w.clock.advance(LEASE_MS);
    expect(kindsOf(await w.task(taskId))).toContain('lease_lost');
  });

  it('ends the lease of a dead executor however slow the store always is', async () => {
    const w = await world();
    const taskId = await unrenewed(w);
    const { listSessions, renewSession } = w.store;
    w.store.listSessions = async () => {
      await w.clock.sleep(LEASE_MS / 2);
      return listSessions.call(w.store);
    };
    w.store.renewSession = async (session) => {
      await w.clock.sleep(LEASE_MS / 2);
      return renewSession.call(w.store, session);
    };
    await w.clock.advance(8 * LEASE_MS);
    Object.assign(w.store, { listSessions, renewSession });
    expect(kindsOf(await w.task(taskId))).toContain('lease_lost');
  });

  it('ends the lease of a dead executor however long each round of due work takes', async () => {
    const w = await world();
    const taskId = await unrenewed(w);
    const findDue = w.store.findDue.bind(w.store);
    w.store.findDue = async (...query) => {
      await w.clock.sleep(LEASE_MS);
      return findDue(...query);
    };
    await w.clock.advance(2 * LEASE_MS);
    w.store.findDue = findDue;
    expect(kindsOf(await w.task(taskId))).toContain('lease_lost');
  });
});
