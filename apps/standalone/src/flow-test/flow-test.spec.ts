import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FlowTest, TestedTask } from './flow-test.js';
import { calls, FLOWS, RENT_MODULES } from './rent-spec.js';
import { startFlowTest } from './start-flow-test.js';
import type { TestedRequest } from './test-http.js';

const asked: TestedRequest[] = [];
let folder: string;
let flows: FlowTest;
let gateway: Promise<string>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-rent-'));
  const monitored = [{ name: 'tell', normal: { module: 'monitor', command: 'report_event' } }];
  const gives = { output: { sum: '{% 1 + 1 %}' }, steps: monitored };
  const all = { ...FLOWS, monitored, gives };
  await writeFile(path.join(folder, 'rent.json'), JSON.stringify(all));
  flows = await startFlowTest({
    modules: ({ url }) => {
      gateway = url;
      return RENT_MODULES;
    },
    flows: folder,
    http: (request) => {
      asked.push(request);
      return request.url.endsWith('/known') ? { body: { id: 7 } } : undefined;
    },
  });
});

afterEach(() => {
  calls.length = 0;
  asked.length = 0;
});

afterAll(async () => {
  await flows.stop();
  await rm(folder, { recursive: true });
});

it('takes no setting of the environment that is of real processes', async () => {
  process.env['BACKSTEP_AUTH'] = 'keys';
  try {
    const other = await startFlowTest({ modules: RENT_MODULES, flows: folder });
    await other.stop();
  } finally {
    delete process.env['BACKSTEP_AUTH'];
  }
});

const waitsOf = ({ waitsFor }: TestedTask): readonly string[] => {
  return waitsFor.map((one) => `${one.for} ${one.step}`);
};

describe('a task of a flow test', () => {
  const machines = { machines: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };

  it('is driven through everything that it waits for', async () => {
    const task = await flows.start('rent', machines);
    expect(waitsOf(await task.rest())).toEqual(['approval ask']);
    await task.approve('ask', 'fine');
    expect(waitsOf(await task.rest())).toEqual(['completion bill']);
    await task.complete('bill', { invoice: 'i-1' });
    const { status, steps, waitsFor } = await task.rest();
    expect({ status, waitsFor }).toEqual({ status: 'succeeded', waitsFor: [] });
    expect(steps.find(({ name }) => name === 'bill')?.output).toEqual({ invoice: 'i-1' });
  });

  it('goes back where a person or the outside says no', async () => {
    const refused = await flows.start('rent', machines);
    await refused.reject('ask');
    expect(await refused.rest()).toMatchObject({ status: 'rolled_back' });
    const unpaid = await flows.start('rent', machines);
    await unpaid.approve('ask');
    await unpaid.fail('bill', { code: 'UNPAID', message: 'no money' });
    const { status, taskMessage } = await unpaid.rest();
    expect(status).toBe('rolled_back');
    expect(taskMessage).toContain('no money');
  });

  it('says what it waits for where it is asked for something else', async () => {
    const task = await flows.start('rent', machines);
    await expect(task.approve('bill')).rejects.toThrow(
      'no step bill waits for an approval. The task waits: step ask waits for an approval',
    );
    await expect(task.complete('bill')).rejects.toThrow('no step bill waits for a completion');
    await task.act('terminate', { reason: 'over' });
    await expect(task.approve('ask')).rejects.toThrow('The task is terminated');
  });

  it('takes a signal before anything waits for it, and when something does', async () => {
    const early = await flows.start('waits');
    await early.signal('paid', { by: 'card' });
    const { status, steps, taskMessage } = await early.rest();
    expect(`${status} ${taskMessage}`).toBe('succeeded null');
    expect(steps.at(-1)?.output).toEqual({ by: 'card' });
    const late = await flows.start('waits');
    expect(waitsOf(await late.rest())).toEqual(['signal paid']);
    await late.signal('paid');
    expect(await late.rest()).toMatchObject({ status: 'succeeded' });
  });
});

describe('a child task of a flow test', () => {
  it('is driven by the paths of its runs, forward and back', async () => {
    const task = await flows.start('family', {}, { failAt: 'each#1/last' });
    expect(waitsOf(await task.rest())).toEqual(['approval each#1/sure']);
    await task.approve('each#1/sure');
    expect(waitsOf(await task.rest())).toEqual(['signal each#1/told']);
    await task.signal('told');
    await task.complete('left');
    expect(waitsOf(await task.rest())).toEqual(['completion each#1/left']);
    await task.complete('each/left');
    expect(waitsOf(await task.rest())).toEqual(['approval each#2/sure']);
    await task.reject('sure');
    expect(await task.rest()).toMatchObject({ status: 'rolled_back', waitsFor: [] });
  });
});

describe('the time of a flow test', () => {
  const days = (from: Date): number => Math.round((+flows.now() - +from) / 86_400_000);

  it('skips what the clock brings, and no answer of a person', async () => {
    const from = flows.now();
    const task = await flows.start('waits');
    await task.rest();
    expect(days(from)).toBe(300);
    await flows.advance('59m');
    expect(await task.look()).toMatchObject({ status: 'running' });
    await flows.advance('1m');
    const { status, taskMessage } = await task.rest();
    expect(status).toBe('rolled_back');
    expect(taskMessage).toContain('paid');
  });

  it('lets an approval and a completion come too late', async () => {
    const task = await flows.start('rent', { machines: [] });
    await task.rest();
    await flows.advance('2d');
    expect(await task.rest()).toMatchObject({ status: 'rolled_back' });
    const billed = await flows.start('rent', { machines: [] });
    await billed.approve('ask');
    await billed.rest();
    await flows.advance('20s');
    expect(await billed.rest()).toMatchObject({ status: 'rolled_back' });
  });

  it('ends a command that hangs', async () => {
    const task = await flows.start('hangs');
    await flows.advance('10m');
    const { status, steps } = await task.rest();
    expect({ status, state: steps[0]?.state }).toEqual({
      status: 'rolled_back',
      state: 'timed_out',
    });
  });
});

describe('a lock that another task holds', () => {
  it('is named with its holder, and had once that one has ended', async () => {
    const holder = await flows.start('locked');
    await holder.rest();
    const second = await flows.start('locked');
    const [wait] = (await second.rest()).waitsFor;
    expect(wait).toMatchObject({ for: 'lock', step: null });
    expect(wait?.message).toBe(
      `the task waits for the lock customer, held by task ${holder.taskId} of flow locked` +
        ' (step ask waits for an approval)',
    );
    await holder.act('terminate', { reason: 'over' });
    expect(waitsOf(await second.rest())).toEqual(['approval ask']);
    await second.act('terminate', { reason: 'over' });
  });
});

describe('a step that is made to fail', () => {
  it.each([
    ['inside', ['inside']],
    ['tries#2/inside', []],
    ['chosen', ['chosen']],
    ['pick/chosen', ['chosen']],
    ['there', ['there']],
    ['rounds#2/round', ['round']],
    ['deep', ['deep']],
    ['child#1/deep', ['deep']],
  ])('is found as %s, wherever it lies', async (failAt, undone) => {
    if (failAt === 'tries#2/inside') {
      const first = { step: 'tries#1/inside' };
      const task = await flows.run('nested', {}, { failAt: [first, { step: failAt }] });
      expect(task.status).toBe('rolled_back');
      return;
    }
    const { status } = await flows.run('nested', {}, { failAt });
    expect(status).toBe('rolled_back');
    expect(calls.filter((call) => undone.includes(call.replace(/ \d$/, '')))).toEqual(
      failAt === 'rounds#2/round' ? ['round 1'] : [],
    );
  });

  it('fails in one child task, or in all', async () => {
    const parameters = { machines: [{}, {}, {}] };
    const one = await flows.start('rent', parameters, { failAt: 'machines#2/network' });
    await one.approve('ask');
    expect(await one.rest()).toMatchObject({ status: 'rolled_back' });
    expect(calls).toContain('network 1');
    calls.length = 0;
    const all = await flows.start('rent', parameters, { failAt: 'machines/network' });
    await all.approve('ask');
    expect(await all.rest()).toMatchObject({ status: 'rolled_back' });
    expect(calls).not.toContain('network 1');
  });

  it('fails in its n-th attempt, and is tried again after its delay', async () => {
    const from = +flows.now();
    const failAt = [
      { step: 'second', attempt: 1, how: 'error' },
      { step: 'second', attempt: 2, how: 'crash', where: 'after' },
    ] as const;
    const { status } = await flows.run('retries', {}, { failAt });
    expect(status).toBe('succeeded');
    expect(calls).toEqual(['first 1', 'second 2', 'second 3', 'third 1']);
    expect(+flows.now() - from).toBeGreaterThanOrEqual(3_600_000);
  });

  it('fails after its work, by the end of its time, or on the way back', async () => {
    const late = await flows.run('retries', {}, { failAt: { step: 'third', where: 'after' } });
    expect(late.status).toBe('rolled_back');
    expect(calls).toEqual(['first 1', 'second 1', 'third 1', 'undo third', 'undo first']);
    const out = await flows.run('retries', {}, { failAt: { step: 'third', how: 'time-out' } });
    expect(out.steps.at(-1)?.state).toBe('timed_out');
    const back = { step: 'first', direction: 'rollback' } as const;
    const stuck = await flows.run('retries', {}, { failAt: ['third', back] });
    expect(stuck.status).toBe('rollback_failed');
    expect(waitsOf(stuck)).toEqual(['person null']);
  });

  it('fails with a code that its flow catches', async () => {
    const quota = { step: 'risky', error: 'QUOTA', message: 'no more machines' };
    expect(await flows.run('caught', {}, { failAt: quota })).toMatchObject({ status: 'succeeded' });
    const other = { step: 'risky', error: 'OTHER' };
    expect(await flows.run('caught', {}, { failAt: other })).toMatchObject({
      status: 'rolled_back',
    });
  });

  it.each([
    ['rent', 'netwrok', /no step netwrok. Did you mean network\? It can fail at: order, install, /],
    ['rent', 'machines#1/orders', /no step orders/],
    [
      'rent',
      'machines',
      /machines of flow rent is no command. Name a step in it: install, network/,
    ],
    ['rent', 'ask', /ask of flow rent is no command. Reject it with `reject`/],
    ['waits', 'rest', /It cannot be made to fail/],
    ['nested', 'child', /child of flow nested is no command/],
    [
      'retries',
      { step: 'second', direction: 'rollback' },
      /no rollback. These have one: first, third/,
    ],
  ] as const)('is refused in %s as %j', async (flow, failAt, message) => {
    await expect(flows.run(flow, { machines: [] }, { failAt })).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  it.each([
    ['caught', 'instead', 'there was no attempt of step instead'],
    ['retries', { step: 'second', attempt: 2 }, 'there was no attempt 2 of step second'],
  ])('is no silent success in %s where it is not reached', async (flow, failAt, message) => {
    await expect(flows.run(flow, {}, { failAt })).rejects.toThrow(message);
  });
});

it('tells the output of a task', async () => {
  expect((await flows.run('gives')).output).toEqual({ sum: 2 });
  expect((await flows.run('monitored')).output).toBeNull();
});

it('refuses flow files with mistakes', async () => {
  const broken = path.join(folder, 'broken');
  await mkdir(broken);
  await writeFile(path.join(broken, 'a.json'), JSON.stringify({ a: [{ naem: 'b' }] }));
  const started = startFlowTest({ modules: RENT_MODULES, flows: broken });
  await expect(started).rejects.toThrow(/a\.json:1:\d+ UNKNOWN_MEMBER/);
});

it('names the folder of flow files that it cannot read', async () => {
  const missing = path.join(folder, 'missing');
  const started = startFlowTest({ modules: RENT_MODULES, flows: missing });
  await expect(started).rejects.toThrow(`${missing}:1:1 FOLDER_NOT_READABLE`);
});

describe('the modules of a flow test', () => {
  it('ask the test for what they request, and nobody else', async () => {
    const known = await flows.run('asks', { url: 'https://api.example/known' });
    expect(known.steps[0]?.output).toMatchObject({ status: 200, body: { id: 7 } });
    expect(asked).toMatchObject([{ method: 'GET', url: 'https://api.example/known', body: null }]);
    const other = await flows.run('asks', { url: 'https://api.example/other' });
    expect(other.taskMessage).toContain('the test does not answer GET https://api.example/other');
  });

  it('send requests to this machine', async () => {
    const server = createServer((_request, response) => void response.end('here'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { steps } = await flows.run('asks', { url: `http://localhost:${port}/` });
    expect(steps[0]?.output).toMatchObject({ body: 'here' });
    server.close();
  });

  it('win over those of Backstep', async () => {
    const { steps } = await flows.run('monitored');
    expect(steps[0]?.output).toEqual({ fake: true });
  });

  it('know the address of the gateway', async () => {
    expect(await gateway).toBe(flows.url);
  });
});
