import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { type FlowDefinition, Journal } from '#core';
import { chain, fails, flow, sampleTask, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { withoutIds } from './hidden-tasks.js';

const ID = '01a1fd83-4043-77fd-add4-7720fab60215';
const OTHER = '01a1fd83-4043-77fd-add4-7720fab60216';

const nothing = { version: null, parameters: null };
const CALLING = flow([{ name: 'call', needs: [], flow: { name: 'inner', ...nothing } }], {
  name: 'calling',
  failureFlow: 'report',
});
const foreach = { in: [1, 2], as: 'n', concurrency: 2, successPercent: 100, parameters: null };
const FLEET = flow(
  [{ name: 'each', needs: [], foreach: { ...foreach, flow: 'inner', steps: null } }],
  { name: 'fleet' },
);
const FLOWS: readonly FlowDefinition[] = [
  CALLING,
  FLEET,
  ...['inner', 'report'].map((name) => ({ ...chain(['a']), name })),
];

let gateway: Gateway;
const keys = new Map<string, string>();

beforeEach(async () => {
  keys.clear();
  gateway = await Gateway.open(FLOWS, { asksForKeys: true });
  await addKey({ name: 'all', role: 'operator' });
  await addKey({ name: 'outer', role: 'operator', flows: 'calling,fleet' });
  await addKey({ name: 'inner', role: 'operator', flows: 'inner' });
});
afterEach(() => gateway.close());

async function addKey(order: KeyOrder): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  keys.set(order.name, text);
}

const as = (name: string) => ({ authorization: `Bearer ${keys.get(name)}` });

async function read(url: string, name: string) {
  return gateway.ask({ url, headers: as(name) });
}

/** Starts a task, and waits until it stands still. */
async function ended(name: string): Promise<string> {
  const taskId = await gateway.create({ flow: name }, as('all'));
  while ((await gateway.world.task(taskId)).endedAt === null) await settle();
  for (let n = 0; n < 20; n += 1) await settle();
  return taskId;
}

async function childOf(parent: string): Promise<string> {
  const { items } = (await read(`/v1/tasks?parent=${parent}`, 'all')).json() as {
    items: readonly { readonly taskId: string }[];
  };
  return items[0]?.taskId ?? '';
}

/** A child task, or a restart, of a task of a flow that its reader may not see. */
async function childOfHidden(): Promise<string> {
  const { store, clock } = gateway.world;
  await store.insert(sampleTask({ taskId: ID, flow: 'calling' }));
  const parent = { taskId: ID, run: 'call#1', index: 0, isPart: false, depth: 1 };
  const entry = { at: clock.now(), kind: 'created', actor: `task ${ID}` } as const;
  const plan = { taskId: OTHER, flow: 'inner', parent, restartOf: ID };
  const parameters = { of: ID, text: `for ${ID}` };
  const journal = Journal.of([{ seq: 1, ...entry }]);
  await store.insert(sampleTask({ ...plan, parameters }, { journal, journalSeq: 1 }));
  return OTHER;
}

const PARTS = ['', '/events', '/why', '/provenance', '/rollback-plan'];

describe('a task that its reader does not see is not named', () => {
  it.each(PARTS)('by its child task: %s', async (part) => {
    const child = await childOfHidden();
    const shown = await read(`/v1/tasks/${child}${part}`, 'inner');
    expect(shown.statusCode).toBe(200);
    expect(shown.body).not.toContain(ID);
    const whole = await read(`/v1/tasks/${child}${part}`, 'all');
    if (!/why|plan/.test(part)) expect(whole.body).toContain(ID);
  });

  it('as parent, in the whole task and in lists', async () => {
    const child = await childOfHidden();
    const whole = (await read(`/v1/tasks/${child}`, 'inner')).json();
    const input = { of: null, text: 'for ***' };
    expect(whole).toMatchObject({ parent: null, restartOf: null, input });
    for (const url of ['/v1/tasks?', '/v1/tasks?full=true', '/v1/events?lastEventId=0']) {
      const { body } = await read(url, 'inner');
      expect(body).toContain(child);
      expect(body).not.toContain(ID);
    }
    const children = await read(`/v1/tasks?parent=${ID}`, 'inner');
    expect(children.json()).toMatchObject({ items: [] });
    const changes = await read(`/v1/events?lastEventId=0&parent=${ID}`, 'inner');
    expect(changes.json()).toMatchObject({ items: [] });
    expect((await read(`/v1/tasks?parent=${ID}`, 'all')).body).toContain(child);
  });

  it('in streams', async () => {
    await gateway.http.app.listen(0, '127.0.0.1');
    const all = await open('/v1/events', 'inner');
    const child = await childOfHidden();
    await gateway.world.clock.advance(1_000);
    await all.sees(child);
    const one = await open(`/v1/tasks/${child}/events`, 'inner');
    await one.sees('event: created');
    expect(all.text).toContain('"parent":null');
    for (const { text } of [all, one]) expect(text).not.toContain(ID);
    const again = await open('/v1/events?lastEventId=0', 'inner');
    await again.sees(child);
    expect(again.text).not.toContain(ID);
    for (const { stop } of [all, one, again]) stop();
  });

  it('by its parent: in outputs, in messages and as the task of a failure flow', async () => {
    const done = await ended('calling');
    const child = await childOf(done);
    const whole = await read(`/v1/tasks/${done}`, 'all');
    expect(whole.json().steps[0].output).toMatchObject({ taskId: child, status: 'succeeded' });
    const shown = await read(`/v1/tasks/${done}`, 'outer');
    expect(shown.json().steps[0].output).toMatchObject({ taskId: null, status: 'succeeded' });
    expect(shown.body).not.toContain(child);
    gateway.world.commands.scripts.set('m.a', () => fails('no host'));
    for (const name of ['calling', 'fleet']) {
      const failed = await ended(name);
      const id = await childOf(failed);
      for (const part of PARTS) {
        const { body } = await read(`/v1/tasks/${failed}${part}`, 'outer');
        expect(body).toContain(part === '' ? 'no host' : '');
        expect(body).not.toContain(id);
        expect(body).not.toContain('id of');
      }
    }
  });

  it('is no child task that an action may name, like one that does not exist', async () => {
    gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
    const parent = await gateway.create({ flow: 'fleet' }, as('all'));
    for (let n = 0; n < 20; n += 1) await settle();
    const child = await childOf(parent);
    const ask = async (id: string, name: string): Promise<readonly unknown[]> => {
      const children = { id };
      const reason = 'a test';
      const retry = `/v1/tasks/${parent}:retry`;
      const order = { action: 'retry', q: 'flow:fleet', reason, children };
      const query = new URLSearchParams({ action: 'retry', children: id });
      const answers = [
        await gateway.post(retry, { reason, children }, as(name)),
        await gateway.post('/v1/operations', order, as(name)),
        await read(`/v1/tasks/${parent}/preview?${query.toString()}`, name),
      ];
      return answers.map(({ body, statusCode }) => {
        const { requestId: _, ...told } = JSON.parse(body.replaceAll(id, 'ID')) as Told;
        return [statusCode, told];
      });
    };
    expect(await ask(child, 'outer')).toEqual(await ask(OTHER, 'outer'));
    const [retried] = await ask(child, 'all');
    expect(JSON.stringify(retried)).toContain('has not failed: it is running');
  });
});

it('is not named by an operation that waits for a second person', async () => {
  await gateway.close();
  keys.clear();
  const rule = { text: 'retry on fleet needs two', actions: ['retry'], flows: ['fleet'] } as const;
  const held = { ...FLEET, onFailure: { holdMs: null } };
  const inner = { ...chain(['a']), name: 'inner' };
  gateway = await Gateway.open([held, inner], { asksForKeys: true, approvals: [rule] });
  await addKey({ name: 'all', role: 'operator' });
  await addKey({ name: 'outer', role: 'operator', flows: 'calling,fleet' });
  gateway.world.commands.scripts.set('m.a', () => fails());
  const parent = await gateway.create({ flow: 'fleet' }, as('all'));
  for (let n = 0; n < 40; n += 1) await settle();
  const child = await childOf(parent);
  const body = { reason: 'a test', children: { id: child } };
  const asked = await gateway.post(`/v1/tasks/${parent}:retry`, body, as('all'));
  expect([asked.statusCode, asked.body]).toEqual([202, expect.stringContaining(child)]);
  const url = `/v1/operations/${asked.json<{ operationId: string }>().operationId}`;
  expect((await read(url, 'all')).body).toContain(child);
  expect((await read(url, 'outer')).json()).toMatchObject({ details: { children: { id: null } } });
});

interface Told {
  readonly requestId?: string;
}

describe('a task that cannot be read', () => {
  it('exists for those alone who see all tasks', async () => {
    const taskId = await gateway.create({ flow: 'inner' }, as('all'));
    gateway.world.store.unreadable.set(taskId, 'its status is wrong');
    for (const part of PARTS) {
      expect((await read(`/v1/tasks/${taskId}${part}`, 'inner')).statusCode).toBe(404);
    }
    for (const url of ['/v1/tasks', '/v1/tasks?full=true', '/v1/events?lastEventId=0']) {
      expect((await read(url, 'all')).body).toContain(taskId);
      expect((await read(url, 'inner')).json()).toMatchObject({ items: [] });
    }
    expect((await read('/v1/tasks:count', 'all')).json()).toMatchObject({ total: 1 });
    expect((await read('/v1/tasks:count', 'inner')).json()).toMatchObject({ total: 0 });
  });
});

describe('ids in JSON', () => {
  it('are null as values, and masked in texts and names of members', () => {
    const value = { a: ID, b: [`x ${ID}`, OTHER], [ID]: `"${ID}" \\`, n: 1 };
    const json = withoutIds(JSON.stringify(value), new Set([ID]));
    const hidden = { a: null, b: ['x ***', OTHER], '***': '"***" \\', n: 1 };
    expect(JSON.parse(json)).toEqual(hidden);
  });
});

/** A stream, as far as it was read. */
interface Stream {
  readonly text: string;
  /** Resolves when the text has this part. */
  sees(part: string): Promise<void>;
  stop(): void;
}

async function open(path: string, name: string): Promise<Stream> {
  const { port } = gateway.http.app.getHttpServer().address() as AddressInfo;
  const headers = { accept: 'text/event-stream', ...as(name) };
  const request = get({ host: '127.0.0.1', port, path, headers });
  request.on('error', () => {});
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.setEncoding('utf8').on('error', () => {});
  let text = '';
  response.on('data', (more: string) => (text += more));
  return {
    get text() {
      return text;
    },
    sees: async (part) => {
      while (!text.includes(part)) await once(response, 'data');
    },
    stop: () => request.destroy(),
  };
}
