import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Deployment, Stack, startDeployment } from '../stack/index.js';
import { Trial } from '../trial/index.js';
import { playsAll } from '../trial/plays-all.js';

jest.setTimeout(300_000);

/** The members of a schedule that the tests read. */
interface ScheduleView {
  readonly name: string;
  readonly createdAt: string;
  readonly nextAt: string | null;
  readonly next?: readonly string[];
  readonly lastRun: { readonly moment: string | null; readonly taskId: string } | null;
  readonly counts: { readonly started: number; readonly skipped: number; readonly failed: number };
}

interface Listed {
  readonly items: readonly {
    readonly taskId: string;
    readonly status: string;
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly page: { readonly nextCursor: string | null };
}

/** Each kills a process. */
const ROUNDS = playsAll() ? 4 : 2;

/** Quick practice work. */
const EFFECT = { flow: 'lab-succeed', overlap: 'allow', catchUp: 'all' };

/** A client of one gateway, with the requests that the tests make. */
class Desk {
  private readonly api: Api;

  constructor(url: string) {
    this.api = new Api(url);
  }

  async put(name: string, schedule: object): Promise<ScheduleView> {
    const path = `/v1/schedules/${name}`;
    const { body, status } = await this.api.ask({ method: 'PUT', path, body: schedule });
    expect([status, body]).toEqual([201, expect.anything()]);
    return body as ScheduleView;
  }

  get(name: string): Promise<ScheduleView> {
    return this.api.get<ScheduleView>(`/v1/schedules/${name}?next=3`);
  }

  async act(name: string, verb: string): Promise<void> {
    const path = `/v1/schedules/${name}:${verb}`;
    const { status } = await this.api.ask({ method: 'POST', path, body: { reason: 'a test' } });
    expect([200, 201]).toContain(status);
  }

  /** Resolves once a schedule has started a number of tasks. */
  async untilStarted(name: string, count: number): Promise<void> {
    const look = async (): Promise<void> => {
      const { counts } = await this.get(name);
      if (counts.started < count) throw new Error(`${name} has started ${counts.started}`);
    };
    await waitUntil(look, { what: `${name} has not started ${count}`, deadlineMs: 90_000 });
  }

  /** The moments of the tasks of a schedule, in their order. */
  async momentsOf(name: string): Promise<readonly string[]> {
    const moments: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `/v1/tasks?label.schedule=${name}&limit=200${more}`;
      const { items, page }: Listed = await this.api.get<Listed>(path);
      moments.push(...items.map(({ labels }) => labels['moment'] ?? 'by hand'));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return moments.toSorted();
  }
}

/** The moments from the first to the last, each so long after the one before. */
function steps(from: string, to: string, everyMs: number): readonly string[] {
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / everyMs) + 1;
  return Array.from({ length: count }, (_, n) => new Date(first + n * everyMs).toISOString());
}

describeWith('schedules with two gateways', { servers: ['mongo', 'rabbitmq'], own: true }, () => {
  const trial = new Trial('schedules-distributed');
  const names = ['every-a', 'every-b', 'cron-a', 'cron-b'];
  let stack: Stack;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const executors = { resource: 0, mysql: 0, monitor: 0, lab: 1 };
      stack = trial.use(await Stack.start({ folder, gateways: 2, executors }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('every moment has one task, whichever of them is killed', async () => {
    const [one, two] = stack.gateways as [(typeof stack.gateways)[0], (typeof stack.gateways)[0]];
    const first = new Desk(one.url);
    for (const name of names) {
      const timing = name.startsWith('every') ? { every: '1s' } : { cron: '* * * * * *' };
      await first.put(name, { ...EFFECT, ...timing });
    }
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [victim, other] = round % 2 === 1 ? [one, two] : [two, one];
      const desk = new Desk(other.url);
      const { counts } = await desk.get('every-a');
      await desk.untilStarted('every-a', counts.started + trial.random.between(2, 4));
      await victim.kill();
      await desk.untilStarted('every-a', counts.started + 9);
      await victim.start();
    }
    const desk = new Desk(one.url);
    for (const name of names) await desk.act(name, 'pause');
    for (const name of names) {
      const settled = async (): Promise<void> => {
        const { counts, lastRun } = await desk.get(name);
        const moments = await desk.momentsOf(name);
        expect([name, counts.started, counts.failed]).toEqual([name, moments.length, 0]);
        expect([name, lastRun?.moment]).toEqual([name, moments.at(-1)]);
      };
      // A moment decided before the pause is still carried out, by whichever process comes first.
      await waitUntil(settled, { what: `${name} is not settled`, deadlineMs: 30_000 });
      const moments = await desk.momentsOf(name);
      expect(moments.length).toBeGreaterThan(5 * ROUNDS);
      expect([name, moments]).toEqual([name, steps(moments[0]!, moments.at(-1)!, 1_000)]);
    }
  });
});

describe('standalone', () => {
  const trial = new Trial('schedules-standalone');
  let backstep: Deployment;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      backstep = trial.use(await startDeployment('standalone', { folder: trial.folder }));
    }),
  );
  afterAll(() => trial.close());

  trial.it('every moment has one task, though the process is killed', async () => {
    const desk = new Desk(backstep.url);
    await desk.put('every', { ...EFFECT, every: '1s' });
    await desk.put('queued', { ...EFFECT, overlap: 'queue', every: '2s' });
    for (let round = 1; round <= 2; round += 1) {
      await desk.untilStarted('every', round * 3);
      await backstep.processes[0]?.restart();
    }
    await desk.untilStarted('every', 10);
    await desk.act('every', 'pause');
    const moments = await desk.momentsOf('every');
    expect(moments).toEqual(steps(moments[0]!, moments.at(-1)!, 1_000));
    await desk.act('every', 'trigger');
    expect(await desk.momentsOf('every')).toContain('by hand');
    await desk.untilStarted('queued', 4);
  });
});
