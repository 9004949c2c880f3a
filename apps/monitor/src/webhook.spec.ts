import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { signWebhook } from '#outbound';
import { Webhook } from './webhook.js';

interface Received {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

const NEVER = new AbortController().signal;

describe('the webhook', () => {
  let server: Server;
  let url: string;
  let received: Received[];
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    received = [];
    answer = (response) => response.writeHead(204).end();
    server = createServer((request, response) => {
      void take(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ body: await collect(request), headers: request.headers });
    answer(response);
  };
  const message = { id: 'task-1:step:alert', body: { a: 'ü' } };

  it('signs what it sends, as Standard Webhooks say', async () => {
    const secret = `whsec_${Buffer.from('a key of some length').toString('base64')}`;
    await new Webhook({ url, secret }, new ManualClock(1_700_000_000_999)).send(message, NEVER);
    const [{ body, headers } = { body: '', headers: {} }] = received;
    expect(JSON.parse(body)).toEqual({ a: 'ü' });
    expect(headers['webhook-id']).toBe('task-1%3Astep%3Aalert');
    expect(headers['webhook-timestamp']).toBe('1700000000');
    const content = `task-1%3Astep%3Aalert.1700000000.${body}`;
    const mac = createHmac('sha256', 'a key of some length').update(content).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${mac}`);
  });

  it('takes any text as a secret, and signs nothing without one', async () => {
    expect(signWebhook('whsec_YQ==', 'c')).toBe(signWebhook('a', 'c'));
    await new Webhook({ url }, new ManualClock()).send(message, NEVER);
    expect(received[0]?.headers['webhook-signature']).toBeUndefined();
  });

  it.each([301, 307, 400, 404, 500, 503])('is not satisfied by status %d', async (status) => {
    answer = (response) => response.writeHead(status, { location: url }).end();
    const sent = new Webhook({ url }, new ManualClock()).send(message, NEVER);
    await expect(sent).rejects.toMatchObject({
      name: 'NotDelivered',
      message: `the alert webhook answered with status ${status}`,
    });
    expect(received).toHaveLength(1);
  });

  it('waits for an answer no longer than it may', async () => {
    const clock = new ManualClock();
    answer = () => void clock.advance(10_000);
    const sent = new Webhook({ url }, clock).send(message, NEVER);
    await expect(sent).rejects.toMatchObject({
      name: 'NotDelivered',
      message: 'the alert webhook cannot be reached: NO_ANSWER',
    });
  });

  it('takes the status for the answer, and lets go of a body that does not end', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (response) => {
        response.once('close', resolve);
        response.writeHead(200).write('more to come');
      };
    });
    await new Webhook({ url }, new ManualClock()).send(message, NEVER);
    await closed;
  });

  it('sends the user and password of its URL in a header', async () => {
    const login = url.replace('http://', 'http://user:hook%20pw%25@');
    await new Webhook({ url: login }, new ManualClock()).send(message, NEVER);
    const expected = `Basic ${Buffer.from('user:hook pw%').toString('base64')}`;
    expect(received[0]?.headers.authorization).toBe(expected);
  });

  it('tells nothing but a code when it cannot be reached', async () => {
    const port = new URL(url).port;
    server.close();
    await once(server, 'close');
    const target = { url: `http://user:hook-password@127.0.0.1:${port}/secret-path` };
    const error: unknown = await new Webhook(target, new ManualClock())
      .send(message, NEVER)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'NotDelivered',
      message: 'the alert webhook cannot be reached: ECONNREFUSED',
    });
    expect(inspect(error)).not.toMatch(/secret-path|hook-password/);
  });
});

async function collect(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
