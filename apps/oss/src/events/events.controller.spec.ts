import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { chain, fails, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { ChangeFeed } from './change-feed.js';
import { OpenStreams } from './open-streams.js';

interface Summary {
  readonly taskId: string;
  readonly status: string;
  readonly revision: number;
}

let gateway: Gateway;
const clients: Client[] = [];
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b']), { ...chain(['a', 'b']), name: 'other-flow' }]);
  await gateway.http.app.listen(0, '127.0.0.1');
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.request.destroy();
  await gateway.close();
});

/** A real connection: the stream is about connections. */
class Client {
  text = '';
  response!: IncomingMessage;
  request!: ClientRequest;

  static async open(query = '', headers: Record<string, string> = {}): Promise<Client> {
    const client = new Client();
    clients.push(client);
    const { port } = gateway.http.app.getHttpServer().address() as AddressInfo;
    const accepted = { accept: 'text/event-stream', ...headers };
    client.request = get({ port, path: `/v1/events${query}`, headers: accepted });
    client.request.on('error', () => {});
    const [response] = (await once(client.request, 'response')) as [IncomingMessage];
    client.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => (client.text += text));
    response.on('error', () => {});
    await client.sees(/\nid: \d+\n\n/);
    return client;
  }

  /** Lets time pass until the text fits. */
  async sees(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await pass();
  }

  get tasks(): readonly Summary[] {
    return [...this.text.matchAll(/^event: task\ndata: (.*)$/gm)].map(([, json]) => {
      return JSON.parse(json ?? '') as Summary;
    });
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '';
  }
}

/** The clock of the gateway goes on, and what travels between sockets arrives. */
async function pass(): Promise<void> {
  await gateway.world.clock.advance(20);
  await new Promise((resolve) => setImmediate(resolve));
}

async function ended(body: object = { flow: 'test-flow' }): Promise<string> {
  const id = await gateway.create(body);
  while ((await gateway.world.task(id)).endedAt === null) await settle();
  return id;
}

describe('GET /v1/events', () => {
  it('tells of every task that changes, as lists show it, and not of what was before', async () => {
    await ended();
    const client = await Client.open();
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const id = await ended();
    await client.sees(/"status":"succeeded"/);
    expect(new Set(client.tasks.map(({ taskId }) => taskId))).toEqual(new Set([id]));
    const last = client.tasks.at(-1)!;
    expect(misfits('TaskSummary', last)).toEqual([]);
    const list = (await gateway.ask({ url: '/v1/tasks' })).json() as { items: Summary[] };
    expect(last).toEqual(list.items.find(({ taskId }) => taskId === id));
  });

  it('goes on after the last event that the client has, with each task once', async () => {
    const first = await Client.open();
    const { lastId } = first;
    first.request.destroy();
    const ids = [await ended(), await ended(), await ended()];
    const again = await Client.open('', { 'last-event-id': lastId });
    await again.sees(new RegExp(ids.at(-1)!));
    expect(again.tasks.map(({ taskId }) => taskId)).toEqual(ids);
    const rest = await Client.open(`?lastEventId=${again.lastId}`);
    const newer = await ended();
    await rest.sees(/"status":"succeeded"/);
    expect(new Set(rest.tasks.map(({ taskId }) => taskId))).toEqual(new Set([newer]));
  });

  it('reads thousands of changes for a client that was away, none twice', async () => {
    const { store } = gateway.world;
    const id = await ended();
    const sample = await gateway.world.task(id);
    for (let n = 0; n < 1_500; n += 1) {
      await store.insert({ ...sample, plan: { ...sample.plan, taskId: `many-${n}` } });
    }
    const client = await Client.open('?lastEventId=0');
    await client.sees(/many-1499/);
    const seen = client.tasks.map(({ taskId }) => taskId);
    expect(seen).toHaveLength(1_501);
    expect(new Set(seen).size).toBe(1_501);
  });

  it('tells only of tasks that fit, by the words of lists', async () => {
    const byQuery = await Client.open(`?q=${encodeURIComponent('flow:other-* status:failed')}`);
    const byLabel = await Client.open('?label.team=db&flow=test-flow');
    gateway.world.commands.scripts.set('m.b', () => fails());
    const failed = await ended({ flow: 'other-flow' });
    const labelled = await ended({ flow: 'test-flow', labels: { team: 'db' } });
    await byQuery.sees(/"status":"rolled_back"/);
    await byLabel.sees(/"status":"rolled_back"/);
    expect(new Set(byQuery.tasks.map(({ taskId }) => taskId))).toEqual(new Set([failed]));
    expect(new Set(byLabel.tasks.map(({ taskId }) => taskId))).toEqual(new Set([labelled]));
    const wrong = await gateway.ask({ url: '/v1/events?q=colour:red' });
    expect(wrong.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer: '/q' }] });
  });

  it('says so where the number is none of this store, and goes on from now', async () => {
    const client = await Client.open('?lastEventId=999999');
    await client.sees(/event: reset\ndata: \{\}\n/);
    const id = await ended();
    await client.sees(new RegExp(id));
  });

  it('gives one page to clients that take JSON, and where to go on', async () => {
    const begin = (await gateway.ask({ url: '/v1/events' })).json() as { lastEventId: string };
    expect(begin).toEqual({ items: [], lastEventId: '0' });
    const ids = [await ended(), await ended()];
    const url = `/v1/events?lastEventId=${begin.lastEventId}`;
    const page = (await gateway.ask({ url })).json() as { items: Summary[]; lastEventId: string };
    expect(misfits('Changes', page)).toEqual([]);
    expect(page.items.map(({ taskId }) => taskId)).toEqual(ids);
    const rest = await gateway.ask({ url: `/v1/events?lastEventId=${page.lastEventId}` });
    expect(rest.json()).toEqual({ items: [], lastEventId: page.lastEventId });
  });

  it('asks the store while somebody listens, and not after', async () => {
    const { changes } = gateway.world.store;
    let asked = 0;
    const find = changes.find.bind(changes);
    changes.find = (query) => {
      asked += 1;
      return find(query);
    };
    await ended();
    await gateway.world.clock.advance(5_000);
    expect(asked).toBe(0);
    const client = await Client.open();
    const other = await Client.open();
    await gateway.world.clock.advance(5_000);
    expect(asked).toBe(10);
    client.request.destroy();
    other.request.destroy();
    while (gateway.http.app.get(ChangeFeed).size > 0) await pass();
    expect(gateway.http.app.get(OpenStreams).size).toBe(0);
    asked = 0;
    await gateway.world.clock.advance(5_000);
    expect(asked).toBe(0);
  });

  it('goes on once a store that was away is back, and leaves nothing out', async () => {
    const client = await Client.open();
    const id = await ended();
    gateway.world.store.down = true;
    await gateway.world.clock.advance(3_000);
    expect(client.tasks).toEqual([]);
    gateway.world.store.down = false;
    await client.sees(new RegExp(id));
  });

  it('lets go of a client that reads nothing', async () => {
    const client = await Client.open();
    client.response.pause();
    const { store } = gateway.world;
    const sample = await gateway.world.task(await ended());
    const labels = { text: 'x'.repeat(20_000) };
    const streams = gateway.http.app.get(OpenStreams);
    for (let n = 0; streams.size > 0 && n < 4_000; n += 1) {
      const taskId = `task-${n}`;
      await store.insert({ ...sample, plan: { ...sample.plan, labels, taskId } });
      if (n % 100 === 0) await gateway.world.clock.advance(1_000);
    }
    expect(streams.size).toBe(0);
  });

  it('has as many streams open as one client may, and no more', async () => {
    await gateway.close();
    gateway = await Gateway.open([chain(['a'])], { openPerClient: 1 });
    await gateway.http.app.listen(0, '127.0.0.1');
    const client = await Client.open();
    const { port } = gateway.http.app.getHttpServer().address() as AddressInfo;
    const headers = { accept: 'text/event-stream' };
    const many = await fetch(`http://127.0.0.1:${port}/v1/events`, { headers });
    expect([many.status, many.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await many.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    client.request.destroy();
    const streams = gateway.http.app.get(OpenStreams);
    while (streams.size > 0) await pass();
    expect((await Client.open()).response.statusCode).toBe(200);
  });
});

describe('what one may not see', () => {
  it('is not told, by flow or by label, and a revoked key ends the stream', async () => {
    await gateway.close();
    gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
    await gateway.http.app.listen(0, '127.0.0.1');
    const { clock, store } = gateway.world;
    const keys = [
      { name: 'boss', role: 'admin' },
      { name: 'elsewhere', role: 'viewer', flows: 'other-*' },
      { name: 'team', role: 'viewer', labels: { team: 'db' } },
    ] as const;
    const texts: Record<string, string> = {};
    for (const [n, order] of keys.entries()) {
      const secret = { id: `${n}`.padStart(16, '0'), secret: 's'.repeat(43) };
      const { record, text } = makeKey(order, secret, clock.now());
      await store.keys.put(record, null);
      texts[order.name] = text;
    }
    const as = (name: string) => ({ authorization: `Bearer ${texts[name]}` });
    const boss = await Client.open('', as('boss'));
    const elsewhere = await Client.open('', as('elsewhere'));
    const team = await Client.open('', as('team'));
    const hidden = await gateway.create({ flow: 'test-flow' }, as('boss'));
    const body = { flow: 'test-flow', labels: { team: 'db' } };
    const shown = await gateway.create(body, as('boss'));
    await boss.sees(new RegExp(`${shown}[^\n]*"status":"succeeded"`));
    await team.sees(new RegExp(`${shown}[^\n]*"status":"succeeded"`));
    expect(new Set(team.tasks.map(({ taskId }) => taskId))).toEqual(new Set([shown]));
    expect(new Set(boss.tasks.map(({ taskId }) => taskId))).toEqual(new Set([hidden, shown]));
    expect(elsewhere.tasks).toEqual([]);
    const page = await gateway.ask({ url: '/v1/events?lastEventId=0', headers: as('team') });
    const { items } = page.json() as { items: readonly Summary[] };
    expect(items).toHaveLength(1);
    const over = once(team.response, 'end');
    await store.keys.remove('2'.padStart(16, '0'), 'any');
    gateway.keyRing.forget('2'.padStart(16, '0'));
    await clock.advance(10_000);
    await over;
  });
});
