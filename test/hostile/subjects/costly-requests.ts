import assert from 'node:assert/strict';
import { request, type ClientRequest } from 'node:http';
import type { Stand } from '../stand.js';
import type { Reproduction, Subject } from '../reproduction.js';

const CLIENTS = 60;
const items = Array.from({ length: 9_000 }, (_, number) => number % 10);
const PRODUCTS = '{% $count($map(items, function($x){ $map(items, function($y){ $x * $y }) })) %}';
const STEP = { normal: { module: 'lab', command: 'succeed' } };
const LARGE = {
  input: { properties: { a: { enum: Array.from({ length: 30_000 }, (_, n) => `value ${n}`) } } },
  steps: [STEP],
};

/** Requests that cost much, each by its method, its path and its body. */
const COSTLY: readonly (readonly [string, string, unknown?])[] = [
  ['POST', '/v1/flows/pairs:plan', { parameters: { items } }],
  ['POST', '/v1/flows:validate', { large: LARGE }],
  ['GET', '/v1/tasks:count?by=flow'],
  ['GET', '/v1/tasks?q=nothing-like-it'],
  ['GET', '/v1/tasks?full=true&limit=200'],
  ['GET', '/v1/archive?limit=200'],
];

/** Sends a request whose answer nobody waits for. */
function order(stand: Stand, [method, path, body]: (typeof COSTLY)[number]): ClientRequest {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${stand.url}${path}`, { method, headers, agent: false });
  sent.on('error', () => undefined);
  sent.on('response', (answer) => answer.resume());
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return sent;
}

/** A task with one small expression, while others ask for as much as they can. */
async function expectServed(stand: Stand): Promise<void> {
  const begin = performance.now();
  const { status } = await stand.api.run('small');
  const ms = performance.now() - begin;
  assert.equal(status, 'succeeded');
  assert.ok(ms <= stand.within(1_000), `${Math.round(ms)} ms`);
}

const each = COSTLY.map((costly): Reproduction => ({
  rule: `a task passes those who ask without end: ${costly[0]} ${costly[1]}`,
  sends: `${CLIENTS} requests at once, which hang up`,
  limitMs: 180_000,
  play: async (stand) => {
    await stand.api.run('small');
    const sent = Array.from({ length: CLIENTS }, () => order(stand, costly));
    await expectServed(stand);
    for (const one of sent) one.destroy();
    await expectServed(stand);
  },
}));

/** Clients that order as much work as they can, and hang up. */
export const costlyRequests: Subject = {
  name: 'costly requests',
  flows: {
    pairs: {
      input: { properties: { items: { type: 'array' } } },
      steps: Array.from({ length: 20 }, (_, n) => ({ name: `s${n}`, set: { got: PRODUCTS } })),
    },
    small: [{ name: 'one', set: { got: '{% 1 + 1 %}' } }],
  },
  reproductions: [
    ...each,
    {
      rule: 'a task passes those who ask for everything at once',
      sends: `${COSTLY.length} kinds of costly requests, ten of each at once`,
      limitMs: 180_000,
      play: async (stand) => {
        const sent = COSTLY.flatMap((costly) => {
          return Array.from({ length: 10 }, () => order(stand, costly));
        });
        await expectServed(stand);
        for (const one of sent) one.destroy();
        await expectServed(stand);
      },
    },
    {
      rule: 'a client that asks for more plans than one may have is told to wait',
      sends: `${CLIENTS} plans at once`,
      limitMs: 180_000,
      play: async (stand) => {
        const path = '/v1/flows/pairs:plan';
        const plan = { path, body: { parameters: { items } } };
        const replies = await Promise.all(Array.from({ length: CLIENTS }, () => stand.send(plan)));
        const refused = replies.filter(({ status }) => status === 429);
        assert.ok(refused.length > 0, 'none was refused');
        for (const { headers } of refused) assert.ok(headers['retry-after'], 'no Retry-After');
        const others = replies.filter(({ status }) => status !== 429 && status !== 200);
        assert.deepEqual(others, []);
      },
    },
  ],
};
