import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { AlertReceiver, type Arrival } from '../alerts/receiver.js';
import { FakeClocks, WRONG_BY_S } from '../faults/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, type Deployment, DEPLOYMENTS } from '../stack/index.js';
import { planStandalone, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

const SECRET = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;

/** An executor is taken for gone after 45 seconds. */
const WITHIN_MS = 180_000;

/** Well above the backlog of 1,000 for longer than a look takes. */
const TASKS = 2_500;

jest.setTimeout(3 * WITHIN_MS);

/** Commands that take their time, so that the queue is long for seconds on the quickest machine. */
const FLOWS = {
  slow: {
    steps: [{ name: 'work', normal: { module: 'lab', command: 'hang', parameters: { ms: 100 } } }],
  },
};

interface Delivery {
  readonly subject: string;
  readonly on: string;
  readonly phase: string;
  readonly state: string;
}

/** People who are told, and what tests ask for on their behalf. */
class Desk {
  readonly api: Api;

  constructor(
    url: string,
    private readonly receiver: AlertReceiver,
  ) {
    this.api = new Api(url);
  }

  /** A notification by this name, on the conditions. */
  async tell(name: string, on: readonly string[], more: object = {}): Promise<void> {
    const channel = { type: 'webhook', url: this.receiver.url, secret: SECRET };
    const body = { on, channel, ...more };
    const { status } = await this.api.ask({
      method: 'PUT',
      path: `/v1/notifications/${name}`,
      body,
    });
    expect(status).toBe(201);
  }

  /** Returns the kinds of a notification's messages about something so far, in their order. */
  kindsOf(rule: string, on: string, subject: string): readonly (string | undefined)[] {
    return this.about(rule, on, subject).map(({ body }) => body.kind);
  }

  /** Resolves when a notification has told of it so often. */
  async untilTold(about: readonly [rule: string, on: string, subject: string], count: number) {
    const told = (): readonly Arrival[] => this.about(...about);
    await this.receiver.until(() => told().length >= count, WITHIN_MS);
    return told();
  }

  async deliveries(rule: string): Promise<readonly Delivery[]> {
    const path = `/v1/notifications/${rule}/deliveries`;
    return (await this.api.get<{ items: readonly Delivery[] }>(path)).items;
  }

  async batch(flow: string, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 500) {
      const tasks = Array.from({ length: Math.min(500, left) }, () => ({ flow }));
      const ask = { path: '/v1/tasks:batch', body: { tasks }, withinMs: 60_000 };
      const { status } = await this.api.ask(ask);
      expect(status).toBeLessThan(300);
    }
  }

  private about(rule: string, on: string, subject: string): readonly Arrival[] {
    return this.receiver.arrivals.filter(({ body }) => {
      const { module, schedule, task } = body;
      const what = task?.taskId ?? module ?? schedule;
      return body.rule === rule && body.on === on && what === subject;
    });
  }
}

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`people of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`conditions-${kind}`);
    let backstep: Deployment;
    let desk: Desk;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const receiver = trial.use(await AlertReceiver.open(SECRET));
        const flows = await writeFlows(folder, FLOWS);
        const settings = { httpAllow: '127.0.0.1', concurrency: '8', flows };
        backstep = trial.use(await startDeployment(kind, { folder, settings }));
        desk = new Desk(backstep.url, receiver);
        const all = ['waiting', 'backlog', 'executor_gone'];
        await desk.tell('on-call', all);
        await desk.tell('calm', all, { throttle: '24h' });
      }),
    );
    afterAll(() => trial.close());

    trial.it('are told once that a step waits for a yes or no, and that it has one', async () => {
      const taskId = await desk.api.create('lab-approve');
      const about = ['on-call', 'waiting', taskId] as const;
      const [told] = await desk.untilTold(about, 1);
      expect(told).toMatchObject({ genuine: true, body: { kind: 'firing', task: { taskId } } });
      const yes = { step: 'ask', comment: 'a test' };
      expect((await desk.api.act(taskId, 'approve', yes)).status).toBe(200);
      const [, over] = await desk.untilTold(about, 2);
      expect(over?.body).toMatchObject({ kind: 'resolved', of: told?.id });
      expect(desk.kindsOf(...about)).toEqual(['firing', 'resolved']);
    });

    if (kind === 'standalone') {
      trial.it('are told once of a long queue, and that it is short again', async () => {
        await desk.batch('slow', TASKS);
        await desk.untilTold(['on-call', 'backlog', 'lab'], 2);
        expect(desk.kindsOf('on-call', 'backlog', 'lab')).toEqual(['firing', 'resolved']);
      });
    } else {
      trial.it(
        'are told once of an executor that is gone, of its queue, and of the end',
        async () => {
          const executor = backstep.processOf('lab');
          await executor.kill();
          await desk.batch('slow', TASKS);
          await desk.untilTold(['on-call', 'backlog', 'lab'], 1);
          await desk.untilTold(['on-call', 'executor_gone', 'lab'], 1);
          await executor.start();
          await desk.untilTold(['on-call', 'executor_gone', 'lab'], 2);
          await desk.untilTold(['on-call', 'backlog', 'lab'], 2);
          for (const on of ['backlog', 'executor_gone']) {
            expect([on, desk.kindsOf('on-call', on, 'lab')]).toEqual([on, ['firing', 'resolved']]);
          }
        },
      );
    }

    trial.it('are told of one thing in a quiet time, and of its end', async () => {
      const settled = async (): Promise<void> => {
        const all = await desk.deliveries('calm');
        const firing = all.filter(({ phase }) => phase === 'firing');
        expect(firing.filter(({ state }) => state === 'delivered')).toHaveLength(1);
        expect(firing.length).toBeGreaterThan(1);
        const [first] = firing.filter(({ state }) => state === 'delivered');
        expect(first).toMatchObject({ on: 'waiting' });
        const ends = all.filter(
          ({ phase, state }) => phase === 'resolved' && state === 'delivered',
        );
        expect(ends).toMatchObject([{ on: 'waiting' }]);
      };
      await waitUntil(settled, { what: 'the quiet one is not settled', deadlineMs: WITHIN_MS });
    });
  });
});

describe('a gateway that was away', () => {
  const trial = new Trial('conditions-missed');
  let clocks: FakeClocks;
  let backstep: AppProcess;
  let desk: Desk;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const receiver = trial.use(await AlertReceiver.open(SECRET));
      clocks = new FakeClocks(path.join(folder, 'clocks'));
      const environment = clocks.environmentOf('standalone');
      const settings = { httpAllow: '127.0.0.1' };
      backstep = await planStandalone({ folder, environment, settings });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      desk = new Desk(backstep.url, receiver);
      await desk.tell('on-call', ['schedule_missed']);
    }),
  );
  afterAll(() => trial.close());

  trial.it('tells once of the moments that passed, and when the schedule goes on', async () => {
    const order = { flow: 'lab-succeed', every: '10m' };
    for (const [name, catchUp] of [
      ['lost', 'none'],
      ['late', 'last'],
    ]) {
      const request = { method: 'PUT', path: `/v1/schedules/${name}`, body: { ...order, catchUp } };
      expect((await desk.api.ask(request)).status).toBe(201);
    }
    await backstep.kill();
    // Between two moments, so that the last one is long past.
    clocks.set('standalone', WRONG_BY_S + 300);
    await backstep.start();
    const [lost] = await desk.untilTold(['on-call', 'schedule_missed', 'lost'], 1);
    expect(lost?.body).toMatchObject({ kind: 'firing', message: expect.stringMatching(/without/) });
    // The moment that was made up for has its task: this is over.
    await desk.untilTold(['on-call', 'schedule_missed', 'late'], 2);
    expect(desk.kindsOf('on-call', 'schedule_missed', 'late')).toEqual(['firing', 'resolved']);
    await backstep.restart();
    const { nextAt } = await desk.api.get<{ nextAt: string }>('/v1/schedules/lost');
    const ahead = Math.floor((Date.parse(nextAt) - Date.now()) / 1_000);
    clocks.set('standalone', ahead - 5);
    await desk.untilTold(['on-call', 'schedule_missed', 'lost'], 2);
    expect(desk.kindsOf('on-call', 'schedule_missed', 'lost')).toEqual(['firing', 'resolved']);
    const why = await desk.api.get<{ past: readonly { result: string; count: number }[] }>(
      '/v1/schedules/lost/why',
    );
    expect(why.past.map(({ result }) => result)).toEqual(['started', 'missed']);
    expect(why.past[1]?.count).toBe(6);
  });
});
