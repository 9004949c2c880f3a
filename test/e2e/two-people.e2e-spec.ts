import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api, type EventView } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { type AppProcess, createKey, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

const TASKS = 60;
const DEADLINE_MS = 120_000;

jest.setTimeout(4 * DEADLINE_MS);

const FLOWS = {
  'create-it': {
    steps: [{ name: 'long', normal: { module: 'lab', command: 'hang', parameters: { ms: 10 } } }],
  },
};

interface Operation {
  readonly operationId: string;
  readonly taskId: string;
  readonly status: string;
  readonly done: number;
  readonly refused: number;
  readonly consent: { readonly decision: { readonly actor: string } | null };
}

/** A Backstep with two admins, whose keys were made before it started. */
class Place {
  private readonly keys = new Map<string, string>();

  constructor(
    readonly backstep: AppProcess,
    private readonly folder: string,
  ) {}

  async addKey(name: string): Promise<void> {
    this.keys.set(name, await createKey(this.folder, name));
  }

  async ask<T>(name: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${this.keys.get(name)}` };
    const more = { headers, withinMs: 60_000, ...(body && { body }) };
    const answer = await new Api(this.backstep.url).ask<T>({ path, ...more });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status}`);
    return answer.body;
  }

  async askForAll(): Promise<readonly Operation[]> {
    const waiting: Operation[] = [];
    for (let n = 0; n < TASKS; n += 1) {
      const order = { flow: 'create-it' };
      const { taskId } = await this.ask<{ taskId: string }>('ann', '/v1/tasks?wait=60s', order);
      waiting.push(await this.ask('ann', `/v1/tasks/${taskId}:undo`, { reason: 'not needed' }));
    }
    return waiting;
  }

  /** Either it waits and nothing happened, or it was approved and done once; true: approved. */
  async expectWhole(operation: Operation): Promise<boolean> {
    const { consent, done, status, taskId } = operation;
    const path = `/v1/tasks/${taskId}/events`;
    const { items } = await this.ask<{ items: readonly EventView[] }>('ann', path);
    const acts = items.filter(({ kind }) => kind === 'undo_requested');
    const isApproved = consent.decision !== null;
    const whole = isApproved ? ['finished', 1, 1] : ['waiting', 0, 0];
    expect([status, done, acts.length]).toEqual(whole);
    const message = expect.stringContaining('approved by ben') as unknown as string;
    for (const act of acts) expect(act).toMatchObject({ actor: 'ann', message });
    return isApproved;
  }
}

const NAME = 'is done once for each approval, though the gateway is killed in the middle';

describe('an action that needs two people', () => {
  const trial = new Trial('two-people');
  let place: Place;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const approvals = 'undo on create-* needs two';
      const flows = await writeFlows(folder, FLOWS);
      const settings = { auth: 'keys', log: 'warn', approvals, flows, lease: '2s' } as const;
      place = new Place(await planStandalone({ folder, settings }), folder);
      for (const name of ['ann', 'ben']) await place.addKey(name);
      trial.use({ stop: () => place.backstep.kill() });
      await place.backstep.start();
    }),
  );
  afterAll(() => trial.close());

  trial.it(NAME, async () => {
    const waiting = await place.askForAll();
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['waiting']));
    const paths = waiting.map(({ operationId }) => `/v1/operations/${operationId}`);
    const comment = { comment: 'seen' };
    const approvals = paths.map((path) => place.ask('ben', `${path}:approve`, comment));
    await Promise.race(approvals);
    await place.backstep.kill();
    const answers = await Promise.allSettled(approvals);
    const answered = answers.filter(({ status }) => status === 'fulfilled').length;
    await place.backstep.start();
    const look = (): Promise<readonly Operation[]> =>
      Promise.all(paths.map((path) => place.ask<Operation>('ann', path)));
    const settled = async (): Promise<void> => {
      const moving = (await look()).filter(({ status }) => status === 'running');
      if (moving.length > 0) throw new Error(`${moving.length} are under way`);
    };
    await waitUntil(settled, { what: 'the end of what was approved', deadlineMs: DEADLINE_MS });
    let approved = 0;
    for (const operation of await look()) {
      approved += (await place.expectWhole(operation)) ? 1 : 0;
    }
    expect(approved).toBeGreaterThanOrEqual(answered);
    console.log(`${TASKS} waited, ${answered} answered, ${approved} approved and done once`);
  });
});
