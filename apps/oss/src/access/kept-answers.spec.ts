import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { chain } from '#testing';
import { ROUTES } from '../docs/routes.js';
import { Gateway } from '../gateway-spec.js';

const SECRET = { id: 'f'.repeat(16), secret: 'f'.repeat(43) };
/** The headers that say in whose name a request is answered. */
const IDENTITY = ['authorization', 'cookie', 'x-backstep-proxy', 'x-backstep-groups'];

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  const { clock, store } = gateway.world;
  const { record, text } = makeKey({ name: 'root', role: 'admin' }, SECRET, clock.now());
  await store.keys.put(record, null);
  key = text;
});
afterAll(() => gateway.close());

describe('an answer is kept by nobody, and is for one caller alone', () => {
  it.each(Object.values(ROUTES))('$at', async ({ at }) => {
    const [method = '', address = ''] = at.split(' ');
    const url = address.replaceAll(/\{\w+\}/g, 'test-flow');
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
    for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
      const answer = await gateway.ask({ method, url, headers, ...body });
      expect(answer.headers['cache-control']).toBe('no-store');
      const vary = String(answer.headers.vary).toLowerCase().split(', ');
      expect(vary).toEqual(expect.arrayContaining(['origin', ...IDENTITY]));
    }
  });

  it('also by the form that is accepted, where that may be a stream', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const made = await gateway.post('/v1/tasks', { flow: 'test-flow' }, headers);
    const { taskId } = made.json<{ taskId: string }>();
    for (const url of ['/v1/events', `/v1/tasks/${taskId}/events`, `/v1/tasks/${taskId}/logs`]) {
      const answer = await gateway.ask({ method: 'GET', url, headers });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers.vary).toMatch(/, Accept$/);
    }
  });

  it('also where a key is made', async () => {
    const order = { name: 'ci', role: 'viewer' };
    const made = await gateway.post('/v1/keys', order, { authorization: `Bearer ${key}` });
    expect([made.statusCode, made.headers['cache-control']]).toEqual([201, 'no-store']);
  });
});
