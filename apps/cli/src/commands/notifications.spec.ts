import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryReport, NotificationReport } from '../client/types.js';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const ON_CALL: NotificationReport = {
  name: 'on-call',
  on: ['failed', 'stuck'],
  q: 'flow:create-*',
  channel: { type: 'webhook', url: 'https://example.org/***' },
  throttle: 300,
  generation: 2,
  createdAt: '2027-01-01T00:00:00.000Z',
  updatedAt: '2027-01-01T00:00:00.000Z',
  updatedBy: 'ann',
  author: null,
};

const DELIVERY: DeliveryReport = {
  deliveryId: 'd1',
  on: 'failed',
  subject: 'task-1',
  phase: 'resolved',
  of: 'd0',
  flow: 'create-vm',
  deliveredAt: null,
  nextAttemptAt: null,
  state: 'failed',
  message: 'A task failed',
  counted: 0,
  attempts: 3,
  lastError: 'It was answered with status 500.',
  createdAt: '2027-01-01T00:00:00.000Z',
};

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
  server.answer = (_request, response) => json(response, ON_CALL);
});
afterEach(() => server.stop());

const ask = (...argv: string[]) => run(['notification', ...argv, '--url', server.url]);

describe('notification put', () => {
  it('sends what was written, and shows what was stored', async () => {
    const what = ['--on', 'failed, stuck', '--q', 'flow:create-*', '--throttle', '5m'];
    const where = ['--webhook', 'https://example.org/in', '--if-match', '1'];
    const { code, stdout } = await ask('put', 'on-call', ...what, ...where);
    expect(code).toBe(EXIT.done);
    const [{ body, ...request }] = server.seen as [(typeof server.seen)[0]];
    expect(request).toMatchObject({ method: 'PUT', path: '/v1/notifications/on-call' });
    expect(JSON.parse(body)).toEqual({
      on: ['failed', 'stuck'],
      q: 'flow:create-*',
      throttle: '5m',
      channel: { type: 'webhook', url: 'https://example.org/in' },
    });
    expect(stdout).toContain('on-call (generation 2)');
    expect(stdout).toContain('one message in 300s');
  });

  it('without a channel is wrong usage, and nothing is sent', async () => {
    const { code, stderr } = await ask('put', 'on-call', '--on', 'failed');
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('say where it goes');
    expect(server.seen).toEqual([]);
  });
});

describe('messages', () => {
  it('are listed, and one that failed is told by its reason', async () => {
    const page = { items: [DELIVERY], page: { nextCursor: null } };
    server.answer = (_request, response) => json(response, page);
    const { code, stdout } = await ask('deliveries', 'on-call', '--limit', '5');
    expect(code).toBe(EXIT.done);
    expect(server.seen[0]?.path).toBe('/v1/notifications/on-call/deliveries?limit=5');
    expect(stdout).toMatch(/d1 .*failed over .*task-1 .*It was answered with status 500\./);
  });

  it('of a test that is not taken end with code 1', async () => {
    server.answer = (_request, response) => json(response, DELIVERY);
    expect((await ask('test', 'on-call')).code).toBe(EXIT.endedOtherwise);
    server.answer = (_request, response) => json(response, { ...DELIVERY, state: 'delivered' });
    expect((await ask('test', 'on-call')).code).toBe(EXIT.done);
  });

  it('are sent again by their ids', async () => {
    server.answer = (_request, response) => json(response, DELIVERY);
    expect((await ask('redeliver', 'on-call', 'd1')).code).toBe(EXIT.done);
    const body = '{"deliveryId":"d1"}';
    expect(server.seen[0]).toMatchObject({ path: '/v1/notifications/on-call:redeliver', body });
  });
});

it('a notification that is not there ends with code 3', async () => {
  server.answer = (_request, response) =>
    problem(response, { status: 404, code: 'NOTIFICATION_NOT_FOUND' });
  expect((await ask('get', 'none')).code).toBe(EXIT.notFound);
});
