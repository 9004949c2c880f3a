import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';
import { childrenOf, planOlderLab } from '../faults/index.js';
import { untilTask } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, type DeploymentKind, DEPLOYMENTS } from '../stack/index.js';
import { planStandalone, Stack } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(300_000);

/** How many commands the executor runs at a time. */
const SLOTS = 4;
const LONG_MS = 600_000;
/** From the onset of a stall until its cause is named, with the times that are the default. */
const NAMED_WITHIN_MS = 5_000;
/** A cause that chance hides is looked for so often. */
const ROUNDS_MAX = 20;
/** Only what is never named takes longer. */
const WITHIN_MS = 30_000;

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
  unserved: [{ name: 'ask', normal: { module: 'nobody', command: 'ask' } }],
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
  strict: [lab('sleep', { ms: LONG_MS }, { timeout: '1s' })],
  hurried: { timeout: '1h', steps: [{ name: 'later', wait: { for: '2h' } }] },
  quick: [effect('done')],
  single: { maxLive: 1, steps: [GO] },
  computed: [{ name: 'sum', set: { sum: '{% 1 + 2 %}' } }],
};

/** Parts that a standalone Backstep does not have. */
const APART = 'executors that are processes of their own';
const LINES = 'a line to a server';

interface Cause {
  readonly code: string;
  readonly message: string;
  readonly since: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly next: readonly { readonly action: string; readonly label: string }[];
}

/** Moments of a schedule that fared alike. */
interface Spell {
  readonly result: string;
  readonly message: string;
  /** The last of them. */
  readonly to: string;
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
  /** A part without which there is no such task. Absent: every Backstep has what it takes. */
  readonly needs?: string;
  /** The thing that it waits for. */
  readonly what: string;
}

const STALLS: readonly Stall[] = [
  {
    what: 'a module that nobody serves',
    flow: 'unserved',
    needs: APART,
    code: 'MODULE_NOT_SERVED',
    evidence: { module: 'nobody', executors: 0, silent: 0 },
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
    what: 'child tasks that wait for a signal',
    flow: 'fleet',
    code: 'CHILD_STUCK',
    evidence: { step: 'each', cause: { code: 'WAITS_FOR_SIGNAL', evidence: { signal: 'go' } } },
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

/** Forgets a session in the store, as is done some time after one is over. */
async function forgetSession({ servers }: Stack, session: string): Promise<void> {
  const client = await MongoClient.connect(new URL('/backstep', servers.mongo.url).href);
  try {
    const sessions = client.db().collection<{ _id: string }>('sessions');
    expect((await sessions.deleteOne({ _id: session })).deletedCount).toBe(1);
  } finally {
    await client.close();
  }
}

/** When a stall began, in milliseconds since 1970. */
type Onset = (cause: Cause, taskId: string) => number | Promise<number>;

/** A client of one gateway, which asks it why. */
class Desk extends Api {
  /** How long each reason took to be named at most, in milliseconds. */
  readonly named = new Map<string, number>();

  async causesOf(path: string): Promise<readonly Cause[]> {
    const ask = { path: `${path}/why`, withinMs: WITHIN_MS };
    const { body } = await this.ask<{ causes?: readonly Cause[] }>(ask);
    return body.causes ?? [];
  }

  /**
   * Resolves when the first reason of a task is this one; rejects if it was named too late. A task
   * stands still since the last that happened to it, unless something else is told of its onset.
   */
  async expectNamed(taskId: string, expected: Expected, onset?: Onset): Promise<void> {
    const { code, evidence = {}, next } = expected;
    let found: Cause | undefined;
    const look = async (): Promise<void> => {
      [found] = await this.causesOf(`/v1/tasks/${taskId}`);
      expect(found).toMatchObject({ code, evidence });
    };
    await waitUntil(look, { what: `${taskId} is not said to be ${code}`, deadlineMs: WITHIN_MS });
    const namedAt = Date.now();
    const began = onset?.(found!, taskId) ?? this.lastEvent(taskId, namedAt);
    this.expectInTime(code, namedAt - (await began));
    expect(found?.message).not.toBe('');
    expect(found?.next.map(({ action }) => action)).toContain(next);
  }

  expectInTime(what: string, tookMs: number): void {
    this.named.set(what, Math.max(tookMs, this.named.get(what) ?? 0));
    expect([what, tookMs < NAMED_WITHIN_MS, tookMs]).toEqual([what, true, tookMs]);
  }

  async untilRunning(taskId: string): Promise<void> {
    await untilTask(this, taskId, ({ steps }) => steps.some(({ state }) => state === 'running'));
  }

  /** Its step runs, or has run. */
  async untilStarted(taskId: string): Promise<void> {
    await untilTask(this, taskId, ({ steps }) => steps.some(({ attempts }) => attempts > 0));
  }

  async end(...taskIds: string[]): Promise<void> {
    for (const taskId of taskIds) await this.act(taskId, 'terminate', { reason: 'a test' });
  }

  /** Has a process stand still over a deadline; resolves to what is said of that first. */
  async passDeadline(executor: AppProcess): Promise<Cause | undefined> {
    const taskId = await this.create('strict');
    await this.untilStarted(taskId);
    executor.pause();
    let found: Cause | undefined;
    const look = async (): Promise<void> => {
      [found] = await this.causesOf(`/v1/tasks/${taskId}`);
      expect(['RUNNING_LATE', 'LEASE_ENDING', 'ENDED']).toContain(found?.code);
    };
    try {
      await waitUntil(look, { what: 'nothing is said', deadlineMs: WITHIN_MS });
    } finally {
      executor.resume();
    }
    return found;
  }

  /** Expects that the newest moments of a schedule went without a task, and were told in time. */
  async expectSkipped(name: string, order: object, result: string): Promise<string> {
    const path = `/v1/schedules/${name}`;
    const body = { every: '1s', ...order };
    expect((await this.ask({ method: 'PUT', path, body })).status).toBe(201);
    let spell: Spell | undefined;
    const look = async (): Promise<void> => {
      [spell] = (await this.get<{ past: readonly Spell[] }>(`${path}/why`)).past;
      expect(spell).toMatchObject({ result });
    };
    await waitUntil(look, { what: 'no moment was skipped', deadlineMs: WITHIN_MS });
    const namedAt = Date.now();
    await this.ask({ method: 'DELETE', path });
    this.expectInTime(`schedule ${result}`, namedAt - Date.parse(spell?.to ?? ''));
    return spell?.message ?? '';
  }

  private async lastEvent(taskId: string, before: number): Promise<number> {
    const events = await this.events(taskId);
    const moments = events.map(({ at }) => Date.parse(at)).filter((at) => at <= before);
    return Math.max(...moments);
  }
}

/** The parts of a Backstep whose tasks stand still. */
class Ground {
  readonly trial: Trial;
  api = new Desk('');
  processes: readonly AppProcess[] = [];
  #stack: Stack | undefined;

  constructor(readonly kind: DeploymentKind) {
    this.trial = new Trial(`stalls-${kind}`);
  }

  async open(): Promise<void> {
    await this.trial.open();
    const { folder } = this.trial;
    const flows = await writeFlows(folder, FLOWS);
    const settings = { flows, concurrency: String(SLOTS) };
    if (this.kind === 'standalone') {
      const process = await planStandalone({ folder, settings });
      this.trial.use({ stop: () => process.kill() });
      await process.start();
      this.processes = [process];
      this.api = new Desk(process.url);
      return;
    }
    const executors = { resource: 0, mysql: 0, monitor: 0, lab: 1 };
    this.#stack = this.trial.use(await Stack.start({ folder, settings, executors, proxied: true }));
    this.processes = this.#stack.processes;
    this.api = new Desk(this.#stack.url);
  }

  async close(): Promise<void> {
    const lines = [...this.api.named].map(([code, ms]) => `${this.kind}: ${code} ${ms} ms`);
    console.log(lines.join('\n'));
    await this.trial.close();
  }

  /** A test of both ways to run Backstep. */
  it(rule: string, work: () => Promise<void>): void {
    this.trial.it(rule, work);
  }

  /** A test of what there is in a distributed Backstep alone. */
  itApart(rule: string, needs: string, work: (stack: Stack) => Promise<void>): void {
    if (this.kind === 'standalone') it.skip(`${rule} (skipped: it is without ${needs})`, () => {});
    else this.trial.it(rule, () => work(this.#stack!));
  }
}

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`why a task of a ${kind} Backstep stands still`, { servers, own: true }, () => {
    const ground = new Ground(kind);
    let api: Desk;

    beforeAll(
      ground.trial.guard(async () => {
        await ground.open();
        api = ground.api;
      }),
    );
    afterAll(() => ground.close());

    for (const { flow, needs, what, ...expected } of STALLS) {
      const rule = `says that it waits for ${what}`;
      const work = async (): Promise<void> => {
        const taskId = await api.create(flow);
        await api.expectNamed(taskId, expected);
        await api.end(taskId);
      };
      if (needs === undefined) ground.it(rule, work);
      else ground.itApart(rule, needs, work);
    }

    ground.it('names who holds the lock that it waits for', async () => {
      const holder = await api.create('locked');
      await untilTask(api, holder, ({ steps }) => steps[0]?.state === 'waiting');
      const waiter = await api.create('locked');
      const evidence = { lock: 'fleet:a', holders: [holder] };
      await api.expectNamed(waiter, { code: 'WAITS_FOR_LOCK', evidence, next: 'locks' });
      await api.end(waiter, holder);
    });

    ground.it('names who paused it, and why', async () => {
      const taskId = await api.create('signalled');
      await api.act(taskId, 'pause', { reason: 'the vendor is on the phone' });
      const evidence = { reason: 'the vendor is on the phone' };
      await api.expectNamed(taskId, { code: 'PAUSED', evidence, next: 'resume' });
      await api.end(taskId);
    });

    ground.it('says that a command runs, and that it takes longer than it used to', async () => {
      const first = await api.create('slow', { ms: LONG_MS });
      const runs = { code: 'RUNNING', evidence: { command: 'sleep' }, next: 'wait' };
      await api.expectNamed(first, runs);
      await api.end(first);
      for (let n = 0; n < 3; n += 1) await api.run('slow');
      const taskId = await api.create('slow', { ms: LONG_MS });
      const evidence = { command: 'sleep', tasks: 3 };
      const long = { code: 'RUNNING_LONG', evidence, next: 'check_executor' };
      const pastUsual: Onset = ({ evidence, since }) =>
        Date.parse(since ?? '') + 1_000 * Number(evidence['p95']);
      await api.expectNamed(taskId, long, pastUsual);
      await api.end(taskId);
    });

    ground.it('says that the executors are busy, and how deep the queue is', async () => {
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

    ground.it('says that its expressions have no answer yet', async () => {
      expect(await api.run('computed')).toMatchObject({ status: 'succeeded' });
      // The evaluator of expressions is a child of a process of Backstep.
      const children = await Promise.all(ground.processes.map(({ pid }) => childrenOf(pid!)));
      const evaluators = children.flat();
      expect(evaluators).not.toEqual([]);
      for (const pid of evaluators) process.kill(pid, 'SIGSTOP');
      try {
        const taskId = await api.create('computed');
        await api.expectNamed(taskId, { code: 'EXPRESSION_OPEN', next: 'wait' });
        for (const pid of evaluators) process.kill(pid, 'SIGCONT');
        expect(await untilTask(api, taskId)).toMatchObject({ status: 'succeeded' });
      } finally {
        for (const pid of evaluators) process.kill(pid, 'SIGCONT');
      }
    });

    ground.it('says why a moment of a schedule has no task: the run before goes on', async () => {
      const order = { flow: 'signalled', overlap: 'skip' };
      const message = await api.expectSkipped('often', order, 'overlap');
      expect(message).toBe('the previous run had not ended');
    });

    ground.it('says why a moment of a schedule has no task: its flow has no room', async () => {
      const taskId = await api.create('single');
      const order = { flow: 'single', overlap: 'allow' };
      const message = await api.expectSkipped('crowded', order, 'too_many_live');
      expect(message).toBe('the flow was at its limit of unfinished tasks');
      await api.end(taskId);
    });

    ground.itApart('says that the broker is away', LINES, async ({ lines }) => {
      const taskId = await api.create('signalled');
      lines.rabbitmq.set('cut');
      const cutAt = Date.now();
      try {
        await api.expectNamed(taskId, { code: 'BROKER_AWAY', next: 'check_broker' }, () => cutAt);
      } finally {
        lines.rabbitmq.set('pass');
      }
      await api.end(taskId);
    });

    ground.itApart('says that the store is slow', LINES, async ({ lines }) => {
      const taskId = await api.create('signalled');
      await untilTask(api, taskId, ({ steps }) => steps[1]?.state === 'waiting');
      lines.mongo.set({ delayMs: 600 });
      const slowAt = Date.now();
      try {
        await api.expectNamed(taskId, { code: 'STORE_SLOW', next: 'check_store' }, () => slowAt);
      } finally {
        lines.mongo.set('pass');
      }
      await api.end(taskId);
    });

    ground.itApart('says that its message was lost', LINES, async ({ servers: { rabbitmq } }) => {
      const thief = await connect(rabbitmq.amqpUrl);
      const channel = await thief.createChannel();
      const take = (message: Parameters<typeof channel.ack>[0] | null): void => {
        if (message !== null) channel.ack(message);
      };
      await channel.consume('backstep.lab', take, { priority: 10 });
      const taskId = await api.create('quick');
      try {
        const evidence = { module: 'lab', executors: 1, queued: 0 };
        await api.expectNamed(taskId, { code: 'DISPATCH_LOST', evidence, next: 'check_executor' });
      } finally {
        await thief.close();
      }
      expect(await untilTask(api, taskId)).toMatchObject({ status: 'succeeded' });
    });

    ground.itApart('says that its process stands still', APART, async ({ executors: { lab } }) => {
      const [executor] = lab;
      const taskId = await api.create('slow', { ms: LONG_MS });
      await api.untilRunning(taskId);
      executor!.pause();
      const pausedAt = Date.now();
      try {
        const evidence = { command: 'sleep', leaseMs: 10_000 };
        const ending = { code: 'LEASE_ENDING', evidence, next: 'check_executor' };
        await api.expectNamed(taskId, ending, () => pausedAt);
      } finally {
        executor!.resume();
      }
      await api.end(taskId);
    });

    ground.itApart('says that its command is past its deadline', APART, async (stack) => {
      // A process that was renewed long ago is silent before that, and one that is slow to stand
      // still ends the command in time.
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const cause = await api.passDeadline(stack.executors.lab[0]!);
        if (cause?.code !== 'RUNNING_LATE') continue;
        const deadline = Date.parse(String(cause.evidence['deadline']));
        api.expectInTime(cause.code, Date.now() - deadline);
        expect(cause.next.map(({ action }) => action)).toContain('check_executor');
        return;
      }
      throw new Error('no process was past a deadline before it was silent');
    });

    ground.itApart('says that its process gives no sign of life', APART, async (stack) => {
      const [executor] = stack.executors.lab;
      const taskId = await api.create('slow', { ms: LONG_MS });
      await api.untilRunning(taskId);
      // As one that was killed on another machine: its lease has to end.
      executor!.pause();
      const killedAt = Date.now();
      const ending = { code: 'LEASE_ENDING', next: 'check_executor' };
      await api.expectNamed(taskId, ending, () => killedAt);
      await api.end(taskId);
      await executor!.restart();
    });

    ground.itApart('says that no build that runs has the command', APART, async (stack) => {
      const [lab] = stack.executors.lab;
      await lab!.terminate();
      const taskId = await api.create('quick');
      await api.expectNamed(taskId, { code: 'MODULE_NOT_SERVED', next: 'start_executor' });
      await api.end(taskId);
      const older = await planOlderLab(stack, ground.trial.folder);
      ground.trial.use({ stop: () => older.kill() });
      await older.start();
      // It would take the message, and say so.
      older.pause();
      const other = await api.create('quick');
      const evidence = { module: 'lab', command: 'effect', executors: 1 };
      const unknown = { code: 'COMMAND_NOT_SERVED', evidence, next: 'start_executor' };
      await api.expectNamed(other, unknown);
      await older.kill();
      await lab!.start();
      expect(await untilTask(api, other)).toMatchObject({ status: 'succeeded' });
    });

    // The last one: the process that it kills is taken for one that serves its module for a while.
    ground.itApart('says that its process is not even known any more', APART, async (stack) => {
      const [executor] = stack.executors.lab;
      const taskId = await api.create('slow', { ms: LONG_MS });
      await api.untilRunning(taskId);
      const [runs] = await api.causesOf(`/v1/tasks/${taskId}`);
      const owner = String(runs?.evidence['owner']);
      executor!.pause();
      // So stands a claim that lands after the session was over for so long that it is forgotten.
      await forgetSession(stack, owner);
      const forgottenAt = Date.now();
      const lost = { code: 'OWNER_LOST', evidence: { owner }, next: 'check_executor' };
      await api.expectNamed(taskId, lost, () => forgottenAt);
      const [cause] = await api.causesOf(`/v1/tasks/${taskId}`);
      expect(cause?.message).toContain('takes over after the deadline');
      await api.end(taskId);
      await executor!.restart();
    });
  });
});
