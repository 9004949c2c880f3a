import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { OpenStreams } from '../events/open-streams.js';
import { wantsStream } from './task-events.controller.js';

let gateway: Gateway;
let release: () => void;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])]);
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  gateway.world.commands.scripts.set('m.a', async () => {
    await gate;
    return { kind: 'succeeded', output: null };
  });
});
afterEach(() => gateway.close());

/** A real connection: the stream is about connections. */
class Client {
  text = '';
  ended = false;
  response!: IncomingMessage;
  request!: ClientRequest;

  static async open(path: string, headers: Record<string, string> = {}): Promise<Client> {
    const client = new Client();
    const { port } = gateway.http.app.getHttpServer().address() as AddressInfo;
    const options = { port, path, headers: { accept: 'text/event-stream', ...headers } };
    client.request = get(options);
    client.request.on('error', () => {});
    const [response] = (await once(client.request, 'response')) as [IncomingMessage];
    client.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => (client.text += text));
    response.on('end', () => (client.ended = true));
    return client;
  }

  /** Resolves when the text fits. */
  async sees(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await once(this.response, 'data');
  }

  async end(): Promise<void> {
    if (!this.ended) await once(this.response, 'end');
  }

  /** Ids of the events so far. */
  ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  }
}

async function listening(): Promise<string> {
  await gateway.http.app.listen(0, '127.0.0.1');
  return gateway.create({ flow: 'test-flow' });
}

it.each([
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream;q=0.5;x=1', false],
  ['application/json;q=0.4, text/event-stream; q=0.5', true],
  ['text/event-stream, */*', true],
  ['text/event-stream;q=0.9, */*', false],
  ['text/event-stream;q=0.2, application/json;q=0.1, */*', true],
  ['text/event-stream;q=0', false],
  ['text/event-stream; q=0.000, */*;q=0', false],
  ['*/*', false],
  [undefined, false],
])('a client that accepts %j gets a stream: %j', (accept, isStream) => {
  const request = { method: 'GET', headers: { accept } } as FastifyRequest;
  expect(wantsStream(request)).toBe(isStream);
});

describe('GET /v1/tasks/{taskId}/events', () => {
  it('lists the journal', async () => {
    const id = await gateway.create({ flow: 'test-flow' });
    release();
    while ((await gateway.world.task(id)).status !== 0) await settle();
    const answer = await gateway.ask({ url: `/v1/tasks/${id}/events` });
    const { items } = answer.json() as { items: object[] };
    const { journal } = await gateway.world.task(id);
    expect(items).toHaveLength(journal.length);
    const at = '2027-01-15T08:00:00.000Z';
    expect(items[0]).toEqual({ seq: 1, at, kind: 'created', actor: 'api' });
    expect(items).toContainEqual({
      seq: expect.any(Number),
      at,
      kind: 'started',
      step: 'a',
      direction: 'normal',
      attempt: 1,
      actor: 'executor-1',
    });
    const rest = await gateway.ask({ url: `/v1/tasks/${id}/events?lastEventId=2` });
    expect(rest.json()).toEqual({ items: items.slice(2) });
  });

  it('streams every event once, in order, and ends after the task', async () => {
    const id = await listening();
    const client = await Client.open(`/v1/tasks/${id}/events`);
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    });
    await client.sees(/event: started\n/);
    expect(client.ended).toBe(false);
    release();
    await client.end();
    const { journal } = await gateway.world.task(id);
    expect(client.ids()).toEqual(journal.entries().map(({ seq }) => seq));
    expect(client.text).toMatch(/event: task_succeeded\ndata: \{"seq":\d+,"at":"2027[^\n]+\n\n$/);
    expect(gateway.http.app.get(OpenStreams).size).toBe(0);
  });

  it.each([
    ['the header', '', { 'last-event-id': '2' }],
    ['the query', '?lastEventId=2', {}],
  ])('goes on after the last event of %s', async (_name, query, headers) => {
    const id = await listening();
    release();
    const client = await Client.open(`/v1/tasks/${id}/events${query}`, headers);
    await client.end();
    const { journal } = await gateway.world.task(id);
    expect(client.ids()).toEqual(
      journal
        .entries()
        .map(({ seq }) => seq)
        .filter((seq) => seq > 2),
    );
  });

  it('tells a client that has everything of an ended task not to come back', async () => {
    const id = await listening();
    release();
    while ((await gateway.world.task(id)).status !== 0) await settle();
    const { journalSeq } = await gateway.world.task(id);
    const headers = { 'last-event-id': String(journalSeq) };
    const client = await Client.open(`/v1/tasks/${id}/events`, headers);
    expect(client.response.statusCode).toBe(204);
  });

  it('says every 15 seconds that it is still there', async () => {
    const id = await listening();
    const client = await Client.open(`/v1/tasks/${id}/events`);
    await client.sees(/started/);
    await gateway.world.clock.advance(15_000);
    await client.sees(/: still here\n\n$/);
    release();
    await client.end();
  });

  it('forgets a client that has gone', async () => {
    const id = await listening();
    const client = await Client.open(`/v1/tasks/${id}/events`);
    await client.sees(/started/);
    const streams = gateway.http.app.get(OpenStreams);
    expect(streams.size).toBe(1);
    client.request.destroy();
    while (streams.size > 0) await settle();
    release();
  });

  it('ends with the gateway', async () => {
    const id = await listening();
    const client = await Client.open(`/v1/tasks/${id}/events`);
    await client.sees(/started/);
    await Promise.all([gateway.http.app.close(), client.end()]);
    release();
  });

  it('answers errors as problems', async () => {
    const headers = { accept: 'text/event-stream' };
    const missing = await gateway.ask({ url: '/v1/tasks/nope/events', headers });
    expect(missing.json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
    const id = await gateway.create({ flow: 'test-flow' });
    const odd = await gateway.ask({ url: `/v1/tasks/${id}/events?lastEventId=x`, headers });
    expect(odd.json()).toMatchObject({ errors: [{ pointer: '/lastEventId' }] });
    release();
  });
});
