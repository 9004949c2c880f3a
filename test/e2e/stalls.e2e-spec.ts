import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { Stack } from '../stack/index.js';
import { planOlderLab } from '../faults/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(300_000);

/** How many commands the executor runs at a time. */
const SLOTS = 4;
const LONG_MS = 600_000;
const WITHIN_MS = 90_000;

const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
});
const lab = (command: string, parameters: object = {}, more: object = {}) => ({
  name: command,
  normal: { module: 'lab', command, parameters, ...more },
});
const FAILURE = lab('fail', { kind: 'terminal' });
const GO = { name: 'go', wait: { signal: 'go' } };
const SLOW = { input: { properties: { ms: { type: 'integer' } } } };

const FLOWS = {
  unserved: [{ name: 'ask', normal: { module: 'http', command: 'request' } }],
  retried: [
    lab(
      'fail',
      { kind: 'retryable' },
      { timeout: '1h', retry: { attempts: 3, delay: '10m', maxDelay: '10m' } },
    ),
  ],
  looking: [lab('again', { times: 1, delay: '10m' })],
  timed: [{ name: 'later', wait: { for: '10m' } }],
  signalled: [effect('before'), GO],
  approved: [{ name: 'sure', approve: { title: 'Go on?', roles: ['operator'] } }],
  fleet: [{ name: 'each', foreach: { in: [1, 2, 3], as: 'n', concurrency: 2, steps: [GO] } }],
  locked: { locks: [{ name: 'fleet:a' }], steps: [GO] },
  held: { onFailure: 'hold', steps: [effect('before'), FAILURE] },
  'held-until': { onFailure: { hold: '30m' }, steps: [effect('before'), FAILURE] },
  'not-undone': [
    { ...effect('made'), rollback: { ...FAILURE.normal, timeout: '5s' } },
    { ...FAILURE, name: 'then' },
  ],
  slow: { ...SLOW, constants: { ms: 0 }, steps: [lab('sleep')] },
  strict: [lab('hang', { ms: LONG_MS }, { timeout: '2s' })],
  hurried: { timeout: '1h', steps: [{ name: 'later', wait: { for: '2h' } }] },
  quick: [effect('done')],
};

interface Cause {
  readonly code: string;
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly next: readonly { readonly action: string; readonly label: string }[];
}

/** A reason that is expected, and the facts and remedies that it is told with. */
interface Expected {
  readonly code: string;
  readonly evidence?: object;
  readonly next: string;
}

/** A task that stands still as soon as it is started. */
interface Stall extends Expected {
  readonly flow: string;
  /** The thing that it waits for. */
  readonly what: string;
}

const STALLS: readonly Stall[] = [
  {
    what: 'a module that nobody serves',
    flow: 'unserved',
    code: 'MODULE_NOT_SERVED',
    evidence: { module: 'http', executors: 0, silent: 0 },
    next: 'start_executor',
  },
  {
    what: 'the next attempt',
    flow: 'retried',
    code: 'RETRY_LATER',
    evidence: { attempts: 1, attemptsMax: 3 },
    next: 'wait',
  },
  { what: 'the next look', flow: 'looking', code: 'LOOKS_AGAIN', next: 'wait' },
  { what: 'a time', flow: 'timed', code: 'WAITS_FOR_TIME', next: 'wait' },
  {
    what: 'a signal',
    flow: 'signalled',
    code: 'WAITS_FOR_SIGNAL',
    evidence: { signal: 'go' },
    next: 'signal',
  },
  {
    what: 'an approval',
    flow: 'approved',
    code: 'WAITS_FOR_APPROVAL',
    evidence: { title: 'Go on?', roles: ['operator'] },
    next: 'approve',
  },
  {
    what: 'child tasks, of which no more may be open',
    flow: 'fleet',
    code: 'WAITS_FOR_CHILDREN',
    evidence: { total: 3, started: 2, active: 2, concurrency: 2 },
    next: 'children',
  },
  { what: 'a person, on hold', flow: 'held', code: 'ON_HOLD', next: 'retry' },
  { what: 'a person, for a while', flow: 'held-until', code: 'HELD_UNTIL', next: 'rollback' },
  {
    what: 'a person, as its rollback failed',
    flow: 'not-undone',
    code: 'ROLLBACK_FAILED',
    next: 'skip',
  },
  {
    what: 'a time that comes after its deadline',
    flow: 'hurried',
    code: 'DEADLINE_AT_RISK',
    evidence: { risk: 'likely' },
    next: 'rollback',
  },
  { what: 'nothing: it has ended', flow: 'quick', code: 'ENDED', next: 'restart' },
];

/** A client of one gateway, which asks it why. */
class Desk extends Api {
  /** How long each reason took to be named, in milliseconds. */
  readonly named = new Map<string, number>();

  async causesOf(path: string): Promise<readonly Cause[]> {
    const ask = { path: `${path}/why`, withinMs: WITHIN_MS };
    const { body } = await this.ask<{ causes?: readonly Cause[] }>(ask);
    return body.causes ?? [];
  }

  /** Resolves as soon as the first reason of a task is this one. */
  async expectNamed(taskId: string, { code, evidence = {}, next }: Expected): Promise<void> {
    const began = performance.now();
    let found: Cause | undefined;
    const look = async (): Promise<void> => {
      [found] = await this.causesOf(`/v1/tasks/${taskId}`);
      expect(found).toMatchObject({ code, evidence });
    };
    await waitUntil(look, { what: `${taskId} is not said to be ${code}`, deadlineMs: WITHIN_MS });
    this.named.set(code, Math.round(performance.now() - began));
    expect(found?.message).not.toBe('');
    expect(found?.next.map(({ action }) => action)).toContain(next);
  }

  async untilRunning(taskId: string): Promise<void> {
    await untilTask(this, taskId, ({ steps }) => steps.some(({ state }) => state === 'running'));
  }

  async end(...taskIds: string[]): Promise<void> {
    for (const taskId of taskIds) await this.act(taskId, 'terminate', { reason: 'a test' });
  }
}

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('why a task of a distributed Backstep stands still', { servers, own: true }, () => {
  const trial = new Trial('stalls');
  let stack: Stack;
  let api: Desk;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const flows = await writeFlows(folder, FLOWS);
      const settings = { flows, ...WAITS.outlastBusyMachine, concurrency: String(SLOTS) };
      const executors = { resource: 0, mysql: 0, monitor: 0, lab: 1 };
      stack = trial.use(await Stack.start({ folder, settings, executors, proxied: true }));
      api = new Desk(stack.url);
    }),
  );
  afterAll(async () => {
    console.log([...api.named].map(([code, ms]) => `${code} ${ms} ms`).join('\n'));
    await trial.close();
  });

  for (const { flow, what, ...expected } of STALLS) {
    trial.it(`says that it waits for ${what}`, async () => {
      const taskId = await api.create(flow);
      await api.expectNamed(taskId, expected);
      await api.end(taskId);
    });
  }

  trial.it('names who holds the lock that it waits for', async () => {
    const holder = await api.create('locked');
    await untilTask(api, holder, ({ steps }) => steps[0]?.state === 'waiting');
    const waiter = await api.create('locked');
    const evidence = { lock: 'fleet:a', holders: [holder] };
    await api.expectNamed(waiter, { code: 'WAITS_FOR_LOCK', evidence, next: 'locks' });
    await api.end(waiter, holder);
  });

  trial.it('names who paused it, and why', async () => {
    const taskId = await api.create('signalled');
    await api.act(taskId, 'pause', { reason: 'the vendor is on the phone' });
    const evidence = { reason: 'the vendor is on the phone' };
    await api.expectNamed(taskId, { code: 'PAUSED', evidence, next: 'resume' });
    await api.end(taskId);
  });

  trial.it('says that a command runs, and that it takes longer than it used to', async () => {
    const first = await api.create('slow', { ms: LONG_MS });
    await api.expectNamed(first, { code: 'RUNNING', evidence: { command: 'sleep' }, next: 'wait' });
    await api.end(first);
    for (let n = 0; n < 3; n += 1) await api.run('slow');
    const taskId = await api.create('slow', { ms: LONG_MS });
    await api.expectNamed(taskId, {
      code: 'RUNNING_LONG',
      evidence: { command: 'sleep', tasks: 3 },
      next: 'check_executor',
    });
    await api.end(taskId);
  });

  trial.it('says that the executors are busy, and how deep the queue is', async () => {
    const crowd = Array.from({ length: SLOTS }, () => api.create('slow', { ms: LONG_MS }));
    const busy = await Promise.all(crowd);
    for (const taskId of busy) await api.untilRunning(taskId);
    const taskId = await api.create('quick');
    const more = await api.create('quick');
    const evidence = { module: 'lab', executors: 1, slots: SLOTS };
    await api.expectNamed(taskId, { code: 'QUEUE_DEEP', evidence, next: 'start_executor' });
    await api.end(...busy);
    expect(await untilTask(api, taskId)).toMatchObject({ status: 'succeeded' });
    await untilTask(api, more);
  });

  trial.it('says why a moment of a schedule has no task', async () => {
    const path = '/v1/schedules/often';
    const schedule = { flow: 'signalled', every: '1s', overlap: 'skip' };
    expect((await api.ask({ method: 'PUT', path, body: schedule })).status).toBe(201);
    const look = async (): Promise<void> => {
      const { past } = await api.get<{ past: readonly { result: string }[] }>(`${path}/why`);
      if (past[0]?.result !== 'overlap') throw new Error(JSON.stringify(past));
    };
    await waitUntil(look, { what: 'no moment was skipped', deadlineMs: WITHIN_MS });
    const { past } = await api.get<{ past: readonly { message: string }[] }>(`${path}/why`);
    expect(past[0]?.message).toBe('the run before had not ended');
    await api.ask({ method: 'DELETE', path });
  });

  trial.it('says that the broker is away', async () => {
    const taskId = await api.create('signalled');
    stack.lines.rabbitmq.set('cut');
    try {
      await api.expectNamed(taskId, { code: 'BROKER_AWAY', next: 'check_broker' });
    } finally {
      stack.lines.rabbitmq.set('pass');
    }
    await api.end(taskId);
  });

  trial.it('says that the store is slow', async () => {
    const taskId = await api.create('signalled');
    await untilTask(api, taskId, ({ steps }) => steps[1]?.state === 'waiting');
    stack.lines.mongo.set({ delayMs: 600 });
    try {
      await api.expectNamed(taskId, { code: 'STORE_SLOW', next: 'check_store' });
    } finally {
      stack.lines.mongo.set('pass');
    }
    await api.end(taskId);
  });

  trial.it(
    'says that a process stands still: past a deadline, then before its lease ends',
    async () => {
      const [executor] = stack.executors.lab;
      const strict = await api.create('strict');
      const slow = await api.create('slow', { ms: LONG_MS });
      for (const taskId of [strict, slow]) await api.untilRunning(taskId);
      executor!.pause();
      try {
        await api.expectNamed(strict, { code: 'RUNNING_LATE', next: 'check_executor' });
        const evidence = { command: 'sleep', leaseMs: 20_000 };
        await api.expectNamed(slow, { code: 'LEASE_ENDING', evidence, next: 'check_executor' });
      } finally {
        executor!.resume();
      }
      await api.end(strict, slow);
    },
  );

  trial.it('says that no build that runs has the command', async () => {
    await stack.executors.lab[0]!.terminate();
    const taskId = await api.create('quick');
    await api.expectNamed(taskId, { code: 'MODULE_NOT_SERVED', next: 'start_executor' });
    await api.end(taskId);
    const older = await planOlderLab(stack, trial.folder);
    trial.use({ stop: () => older.kill() });
    await older.start();
    // It would take the message, and say so.
    older.pause();
    const other = await api.create('quick');
    const evidence = { module: 'lab', command: 'effect', executors: 1 };
    await api.expectNamed(other, { code: 'COMMAND_NOT_SERVED', evidence, next: 'start_executor' });
    await older.kill();
    await stack.executors.lab[0]!.start();
    expect(await untilTask(api, other)).toMatchObject({ status: 'succeeded' });
  });
});
