import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { childrenOf } from '../faults/child-processes.js';
import { Api, type EventView } from '../load/index.js';
import { ENDED_CHILDREN, WHOLE_PROCESS } from '../linear/processor-time.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, createKey, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(300_000);

/** Clients that ask at the same time, each again and again. */
const CLIENTS = 60;
/** From the first entry of the journal to the last one. */
const TASK_MS = 200;
/** A busy moment of the machine is no fault of a plan: the best of several counts. */
const ROUNDS_MAX = 20;
/** The processor time of the processes of expressions once their clients have gone. */
const AFTERWARDS_MS = 1_000;

const PRODUCTS = '{% $count($map(items, function($x){ $map(items, function($y){ $x * $y }) })) %}';
const items = Array.from({ length: 9_000 }, (_, number) => number % 10);

const FLOWS = {
  pairs: {
    input: { properties: { items: { type: 'array' } } },
    steps: Array.from({ length: 20 }, (_, n) => ({ name: `s${n}`, set: { got: PRODUCTS } })),
  },
  small: [{ name: 'one', set: { got: '{% 1 + 1 %}' } }],
};

/** Sends a request over and over, without a pause, until it hangs up. */
class Client {
  private isOver = false;
  private hangUpNow = (): void => undefined;

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async keepAsking(path: string, body: object, told: (status: number) => void): Promise<void> {
    while (!this.isOver) told(await this.ask(path, JSON.stringify(body)));
  }

  hangUp(): void {
    this.isOver = true;
    this.hangUpNow();
  }

  /** 0: it hung up before there was an answer. */
  private ask(path: string, body: string): Promise<number> {
    return new Promise((resolve) => {
      const sent = request(`${this.url}${path}`, {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', ...this.headers },
      });
      sent.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode!)));
      sent.on('error', () => resolve(0));
      sent.on('close', () => resolve(0));
      this.hangUpNow = () => sent.destroy();
      sent.end(body);
    });
  }
}

/** The processor time of all child processes that a process ever had. */
async function processorTimeOf(pid: number): Promise<number> {
  const live = (await childrenOf(pid)).map((child) => WHOLE_PROCESS.spentMs(child) ?? 0);
  return live.reduce((sum, ms) => sum + ms, ENDED_CHILDREN.spentMs(pid) ?? 0);
}

/** Milliseconds from the first entry of a task's journal to its last. */
function lengthOf(events: readonly EventView[]): number {
  return Date.parse(events.at(-1)!.at) - Date.parse(events[0]!.at);
}

describe('sixty clients that ask for plans without end', () => {
  const trial = new Trial('costly-requests');
  let backstep: AppProcess;
  let headers: Record<string, string>;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = { auth: 'keys', flows: await writeFlows(folder, FLOWS) } as const;
      backstep = await planStandalone({ folder, settings });
      headers = { authorization: `Bearer ${await createKey(folder, 'planner')}` };
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
    }),
  );
  afterAll(() => trial.close());

  async function runSmall(): Promise<number> {
    const api = new Api(backstep.url);
    const body = { flow: 'small' };
    const ask = { path: '/v1/tasks?wait=60s', body, headers, withinMs: 90_000 };
    const { body: task } = await api.ask<{ taskId: string; status: string }>(ask);
    expect(task.status).toBe('succeeded');
    const path = `/v1/tasks/${task.taskId}/events`;
    const { body: page } = await api.ask<{ items: readonly EventView[] }>({ path, headers });
    return lengthOf(page.items);
  }

  trial.it('delay no task, and leave nothing behind when they hang up', async () => {
    await runSmall();
    const answered = new Map<number, number>();
    const count = (status: number): unknown => {
      return answered.set(status, (answered.get(status) ?? 0) + 1);
    };
    const clients = Array.from({ length: CLIENTS }, () => new Client(backstep.url, headers));
    const asking = clients.map((client) => {
      return client.keepAsking('/v1/flows/pairs:plan', { parameters: { items } }, count);
    });
    // The first refusals come when the others are being worked on.
    await waitUntil(async () => expect(answered.get(429)).toBeGreaterThan(0), {
      what: 'a refusal',
      deadlineMs: 60_000,
    });
    let best = Infinity;
    for (let round = 0; round < ROUNDS_MAX && best >= TASK_MS; round += 1) {
      best = Math.min(best, await runSmall());
    }
    for (const client of clients) client.hangUp();
    await Promise.all(asking);
    const before = await processorTimeOf(backstep.pid!);
    expect(best).toBeLessThan(TASK_MS);
    expect([...answered.keys()].filter((status) => status >= 500)).toEqual([]);
    let last = before;
    await waitUntil(
      async () => {
        const now = await processorTimeOf(backstep.pid!);
        const more = now - last;
        last = now;
        expect(more).toBe(0);
      },
      { what: 'processes of expressions that rest', deadlineMs: 60_000 },
    );
    expect(last - before).toBeLessThan(AFTERWARDS_MS);
  });
});
