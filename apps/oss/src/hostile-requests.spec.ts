import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { PROBLEMS } from '#http-server';
import { chain } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { CHOOSY_INPUT, deepTree, longNumber, unfitList } from '../../../test/fuzz/large-bodies.js';
import { type Ask, Gateway } from './gateway-spec.js';
import { anyCharacter } from '../../../test/fuzz/hostile-values.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

let gateway: Gateway;
beforeAll(async () => {
  const flow = chain(['a']);
  gateway = await Gateway.open([flow, { ...flow, name: 'choosy', input: CHOOSY_INPUT }]);
});
afterAll(() => gateway.close());

afterEach(() => {
  // Whatever was sent, nothing of it has reached what everybody shares.
  const polluted = {} as Record<string, unknown>;
  expect(polluted['polluted']).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** Sends what must be refused: with a code of the catalogue, never by a fault, leaving no task. */
async function refused(ask: Ask): Promise<void> {
  const before = gateway.world.store.contents.tasks.size;
  const answer = await gateway.ask(ask);
  const what = JSON.stringify(ask).slice(0, 300);
  expect([what, answer.statusCode]).toEqual([what, expect.any(Number)]);
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(answer.statusCode).toBeLessThan(500);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  const { code, detail, requestId, status } = answer.json<Record<string, unknown>>();
  expect(Object.keys(PROBLEMS)).toContain(code);
  expect(status).toBe(answer.statusCode);
  expect(detail).toEqual(expect.stringMatching(/\S/));
  expect(answer.headers['x-request-id']).toBe(requestId);
  expect(gateway.faults).toEqual([]);
  expect(gateway.world.store.contents.tasks.size).toBe(before);
}

const path = fc.constantFrom(
  '/v1/tasks',
  '/v1/tasks:batch',
  '/v1/tasks/00000000-0000-7000-8000-000000000001:rollback',
  '/v1/tasks/nope:skip',
  '/v1/tasks/nope:terminate',
);
const operator = fc.constantFrom({ $gt: '' }, { $where: '1' }, { $ne: null }, ['a'], 7, true, null);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), operator);
const good = { flow: 'test-flow' };

const body: fc.Arbitrary<unknown> = fc.oneof(
  // A sound request with one member too many.
  fc.tuple(fc.string({ minLength: 1 }), junk).map(([name, value]) => {
    const known = ['flow', 'parameters', 'labels', 'priority', 'idempotencyKey'];
    return { ...good, [known.includes(name) || name === '__proto__' ? 'x' : name]: value };
  }),
  // A sound request with one member of the wrong kind.
  fc
    .constantFrom('parameters', 'labels', 'priority', 'idempotencyKey')
    .chain((name) =>
      fc
        .constantFrom<unknown>('\u0000', '', 1.5, null, [1], [[]], '\u0007')
        .map((value) => ({ ...good, [name]: value })),
    ),
  operator.map((flow) => ({ flow })),
  fc.string().map((flow) => ({ flow: `no ${flow}` })),
  fc.tuple(operator, operator).map(([step, reason]) => ({ step, reason })),
  fc
    .dictionary(fc.string({ minLength: 1 }), operator, { minKeys: 1 })
    .map((labels) => ({ ...good, labels })),
);

const text: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.nat({ max: 30 }).map((end) => '{"flow":"test-flow","parameters":{}}'.slice(0, end)),
  fc.constantFrom(
    '{"flow":"test-flow","__proto__":{"polluted":1}}',
    '{"flow":"test-flow","parameters":{"__proto__":{"polluted":1}}}',
    '{"flow":"test-flow","parameters":{"a":[{"\\u005f\\u005fproto__":{"polluted":1}}]}}',
    '{"flow":"test-flow","constructor":{"prototype":{"polluted":1}}}',
    '{"flow":"test-flow","prototype":{"polluted":1}}',
    '{"flow":"test-flow","parameters":{"a":1e999}}',
    '{"flow":"test-flow","labels":{"a\\u0000":"b"}}',
    '{"flow":"test-flow","idempotencyKey":"a\\u0000"}',
    '{"flow":"test-flow\\u0000"}',
    '{"flow":"\\ud800"}',
    `{"flow":"test-flow","parameters":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`,
    `{"flow":"test-flow","parameters":{"a":"${'x'.repeat(4_090)}"}}`,
    '['.repeat(15_000),
    ' '.repeat(1_048_576),
    `{"flow":"test-flow","parameters":{"a":"${'x'.repeat(1_048_576)}"}}`,
  ),
);

const isSound = (value: string | Buffer): boolean => {
  try {
    return (JSON.parse(value.toString()) as { flow?: unknown }).flow === 'test-flow';
  } catch {
    return false;
  }
};

describe('hostile requests', () => {
  it('with bodies that are no request are refused', async () => {
    await fc.assert(
      fc.asyncProperty(path, body, (url, body) => refused({ method: 'POST', url, body })),
      fuzzBudget(500),
    );
  });

  it('with bodies that are no JSON are refused', async () => {
    const hostile = text.filter((value) => !isSound(value) || value.length > 40);
    await fc.assert(
      fc.asyncProperty(path, hostile, (url, body) => refused({ method: 'POST', url, body })),
      fuzzBudget(300),
    );
  });

  it.each<[string, fc.Arbitrary<string>, string]>([
    ['long numbers', longNumber, '{"flow":"test-flow","parameters":{"a":$}}'],
    ['deep trees', deepTree, '{"flow":"test-flow","parameters":{"a":$}}'],
    ['lists that fit no choice', unfitList, '{"flow":"choosy","parameters":{"hosts":$}}'],
  ])('with %s are refused', async (_what, part, around) => {
    await fc.assert(
      fc.asyncProperty(part, (text) =>
        refused({ method: 'POST', url: '/v1/tasks', body: around.replace('$', () => text) }),
      ),
      fuzzBudget(60),
    );
  });

  it('of other kinds are refused', async () => {
    const type = fc.oneof(
      fc.constantFrom('text/plain', 'text/html', 'application/xml', 'application/x-ndjson'),
      fc.stringMatching(/^[a-z/;= -]{1,30}$/),
    );
    await fc.assert(
      fc.asyncProperty(path, type, (url, type) =>
        refused({ method: 'POST', url, body: good, headers: { 'content-type': type } }),
      ),
      fuzzBudget(100),
    );
  });

  it('to addresses that are not there are refused', async () => {
    const segment = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('$gt', '__proto__'),
    );
    const address = fc.array(segment.filter(isSegment), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
        address,
        (method, parts) => {
          const url = `/v1/tasks/${parts.map(encode).join('/')}`;
          return refused({ method, url });
        },
      ),
      fuzzBudget(300),
    );
  });

  it('with hostile queries are refused or find nothing', async () => {
    const name = fc.constantFrom(
      'flow',
      'status',
      'label.a',
      'label.$gt',
      'limit',
      'cursor',
      'createdAfter',
    );
    const query = fc
      .tuple(name, fc.oneof(fc.string({ unit: anyCharacter }), fc.json()))
      .filter(([name, value]) => !(name === 'limit' && /^\d+$/.test(value)));
    await fc.assert(
      fc.asyncProperty(query, async ([name, value]) => {
        const url = `/v1/tasks?${name}=${encode(value)}`;
        const answer = await gateway.ask({ url });
        if (answer.statusCode !== 200) return refused({ url });
        expect(answer.json()).toEqual({ items: [], page: { nextCursor: null } });
      }),
      fuzzBudget(300),
    );
  });

  it.each(['idempotency-key', 'x-backstep-actor', 'if-match', 'last-event-id'])(
    'with a hostile %s are refused or harmless',
    async (name) => {
      const value = fc.string({ unit: anyCharacter, maxLength: 300 }).map((text) =>
        Buffer.from(text)
          .toString('latin1')
          .replaceAll(/\p{Cc}/gu, '~'),
      );
      await fc.assert(
        fc.asyncProperty(value, async (value) => {
          const url = '/v1/tasks/nope:rollback';
          await refused({ method: 'POST', url, body: { reason: 'r' }, headers: { [name]: value } });
          await refused({ url: '/v1/tasks/nope/events', headers: { [name]: value } });
        }),
        fuzzBudget(30),
      );
    },
  );
});

it('a body of no bytes is no JSON where one is needed', async () => {
  const headers = { 'content-type': 'application/json' };
  const { statusCode, json } = await gateway.ask({ method: 'POST', url: '/v1/tasks', headers });
  expect([statusCode, json()]).toMatchObject([400, { code: 'MALFORMED_JSON' }]);
});

it.each(['null', ' null ', '[]', '3'])('the JSON %s is no object', async (body) => {
  const { statusCode, json } = await gateway.post('/v1/tasks', body);
  const errors = [{ pointer: '', message: 'The body must be a JSON object.' }];
  expect([statusCode, json()]).toMatchObject([400, { code: 'INVALID_REQUEST', errors }]);
});

it.each([
  ['POST', '/v1/flows:validate', 200],
  ['POST', '/v1/operations/nope:cancel', 404],
  ['DELETE', '/v1/tasks/nope', 404],
])(
  'a body of no bytes is none where none is needed, whatever its type: %s %s',
  async (method, url, status) => {
    const plain = await gateway.ask({ method, url });
    const headers = { 'content-type': 'application/json' };
    const typed = await gateway.ask({ method, url, headers });
    expect([plain.statusCode, typed.statusCode]).toEqual([status, status]);
    expect({ ...typed.json<object>(), requestId: '' }).toEqual({
      ...plain.json<object>(),
      requestId: '',
    });
  },
);

/** Clients resolve dots before anything is sent. */
function isSegment(text: string): boolean {
  return !/^\.{1,2}$/.test(text);
}

/** Percent-encodes; half a surrogate pair, which cannot be, becomes something else. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/gu, '?'));
}
