import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYBODY } from '#access';
import { chain } from '#testing';
import { GuardedGateway } from '../access/guarded-gateway-spec.js';
import { ClaimTexts } from './claims.js';

type Send = ReturnType<GuardedGateway['as']>['send'];

let guarded: GuardedGateway;
let headers: Record<string, string>;
let send: Send;
/** A claim of a task that is not there. */
let claim: string;

const OUTCOMES = ['complete', 'fail', 'again', 'later', 'release', 'heartbeat'];
const POLL = { worker: 'w/1', module: 'm', wait: '0' };

beforeAll(async () => {
  guarded = await GuardedGateway.open([chain(['a'])]);
  headers = await guarded.key('worker', { modules: 'm' });
  ({ send } = guarded.as(headers));
  claim = claimFor(headers);
});
afterAll(() => guarded.gateway.close());

/** A claim as the gateway writes it for a key. */
function claimFor({ authorization = '' }: Record<string, string>, module = 'm'): string {
  const keyId = authorization.split('_')[1] ?? null;
  const caller = { ...EVERYBODY, keyId };
  const ref = { taskId: 'gone', place: 0, direction: 'normal', attempt: 1, token: 1 } as const;
  const held = { ...ref, worker: 'w/1', module, command: 'a' };
  return new ClaimTexts(guarded.gateway.options.claimTexts).write(held, caller);
}

describe('a wrong poll', () => {
  it.each([
    [{ max: 0 }, '/max', '1 to 100'],
    [{ max: 101 }, '/max', '1 to 100'],
    [{ max: 1.5 }, '/max', '1 to 100'],
    [{ max: '1' }, '/max', '1 to 100'],
    [{ wait: '31s' }, '/wait', '0ms to 30s'],
    [{ wait: 30_001 }, '/wait', '0ms to 30s'],
    [{ wait: -1 }, '/wait', 'with its unit'],
    [{ wait: '20' }, '/wait', 'with its unit'],
    [{ lease: '1s' }, '/lease', '10s to 10m'],
    [{ lease: '11m' }, '/lease', '10s to 10m'],
    [{ lease: '9999999d' }, '/lease', '10s to 10m'],
    [{ modules: [], module: undefined }, '/modules', '1 to 16'],
    [
      { modules: Array.from({ length: 17 }, (_, n) => `m${n}`), module: undefined },
      '/modules',
      '1 to 16',
    ],
    [{ modules: ['m'] }, '/modules', 'either'],
    [{ module: undefined }, '/modules', 'either'],
    [{ module: 'm m' }, '/module', 'name of a module'],
    [{ commands: Array.from({ length: 201 }, (_, n) => `c${n}`) }, '/commands', '1 to 200'],
    [{ worker: '' }, '/worker', '1 to 128'],
    [{ worker: 'w'.repeat(129) }, '/worker', '1 to 128'],
    [{ worker: 'w 1' }, '/worker', '1 to 128'],
    [{ worker: undefined }, '/worker', 'missing'],
    [{ pollId: 'x' }, '/pollId', 'UUID'],
    [{ directions: [] }, '/directions', 'normal'],
    [{ directions: ['alert'] }, '/directions', 'normal'],
    [{ build: '' }, '/build', 'line'],
    [{ fast: true }, '/fast', 'not known'],
  ])('with %j is refused at %s', async (members, pointer, words) => {
    const { body, status } = await send('POST', '/v1/work:poll', { ...POLL, ...members });
    expect([status, body]).toMatchObject([
      400,
      { code: 'INVALID_REQUEST', errors: [{ pointer, message: expect.stringContaining(words) }] },
    ]);
  });

  it('for a module that is not of the key is forbidden, with the module', async () => {
    const { body, status } = await send('POST', '/v1/work:poll', { ...POLL, module: 'other' });
    expect([status, body]).toMatchObject([
      403,
      { code: 'FORBIDDEN', detail: expect.stringContaining('other') },
    ]);
  });
});

describe('a schema of outputs by which nothing can be checked', () => {
  it.each([
    [{ type: 'list' }, '/type'],
    [{ properties: { size: { minimun: 1 } } }, '/properties/size/minimun'],
    [{ $ref: '#' }, ''],
  ])('is refused when the worker registers: %j', async (output, pointer) => {
    const body = { modules: { m: { a: { output } } }, slots: 1 };
    const answer = await send('PUT', '/v1/workers/w:1', body);
    expect(answer.body).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: `/modules/m/a/output${pointer}` }],
    });
  });
});

it('a command whose output has secrets is refused where there is no key to seal them', async () => {
  const body = { modules: { m: { a: {}, b: { secrets: ['password'] } } }, slots: 1 };
  const answer = await send('PUT', '/v1/workers/w:1', body);
  expect([answer.status, answer.body]).toMatchObject([
    503,
    {
      code: 'SECRET_KEY_MISSING',
      detail: 'The output of m.b has secrets, but BACKSTEP_SECRET_KEY has no key for it.',
    },
  ]);
});

describe('another protocol', () => {
  it.each(['2', '0', 'x', '1.0'])('(%s) is refused with those that are served', async (number) => {
    const others = { ...headers, 'backstep-worker-protocol': number };
    for (const [method, url] of [
      ['GET', '/v1/work'],
      ['PUT', '/v1/workers/w'],
      ['DELETE', '/v1/workers/w'],
      ['POST', '/v1/work:poll'],
      ['POST', `/v1/work/${claim}:fail`],
      ['POST', '/v1/work:heartbeat'],
    ] as const) {
      const answer = await guarded.gateway.ask({ method, url, headers: others });
      expect(answer.json()).toMatchObject({
        status: 400,
        code: 'PROTOCOL_UNSUPPORTED',
        supported: [1],
      });
    }
  });
});

describe('a wrong claim', () => {
  it.each(OUTCOMES)('is refused, whatever the body of %s', async (verb) => {
    const other = await guarded.key('worker', { modules: 'm' });
    const narrowed = await guarded.key('worker', { modules: 'n' });
    const altered = `${claim.slice(0, -1)}${claim.endsWith('A') ? 'B' : 'A'}`;
    for (const text of ['none', altered, `${claim}A`, 'bsw_.', 'x'.repeat(15_000)]) {
      const { body, status } = await send('POST', `/v1/work/${text}:${verb}`, { wrong: true });
      expect([status, body]).toMatchObject([403, { code: 'WRONG_CLAIM' }]);
      expect(JSON.stringify(body)).not.toContain('gone"');
    }
    for (const [key, words] of [
      [other, 'was not given this claim'],
      [narrowed, 'may not serve the module m'],
    ] as const) {
      const text = key === other ? claim : claimFor(key);
      const { body } = await guarded.as(key).send('POST', `/v1/work/${text}:${verb}`, {});
      expect(body).toMatchObject({ code: 'FORBIDDEN', detail: expect.stringContaining(words) });
    }
  });

  it('that another key has is lost among those of a heartbeat, which are renewed', async () => {
    const foreign = claimFor(await guarded.key('worker', { modules: 'm' }));
    const beat = (...claims: readonly string[]) => {
      const said = claims.map((text) => ({ claim: text }));
      return send('POST', '/v1/work:heartbeat', { worker: 'w/1', claims: said });
    };
    const { body, status } = await beat(foreign, claim);
    const [lost, own] = body['claims'] as readonly object[];
    expect([status, lost]).toEqual([200, { claim: foreign, state: 'lost', reason: 'not_yours' }]);
    expect(own).toMatchObject({ claim });
    expect((await beat(claim)).body).toMatchObject({ claims: [own] });
    expect((await beat(foreign)).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('that is none refuses the whole of a heartbeat', async () => {
    const claims = [{ claim }, { claim: 'none' }];
    const { body } = await send('POST', '/v1/work:heartbeat', { worker: 'w/1', claims });
    expect(body).toMatchObject({ code: 'WRONG_CLAIM' });
  });
});

describe('a wrong report', () => {
  const fail = { message: 'no', retryable: false };

  it.each([
    ['fail', { ...fail, code: 'quota' }, '/code'],
    ['fail', { ...fail, code: 'Q'.repeat(65) }, '/code'],
    ['fail', { ...fail, message: 'x'.repeat(8_193) }, '/message'],
    ['fail', { ...fail, message: '\u00e9'.repeat(4_097) }, '/message'],
    ['fail', { ...fail, message: 5 }, '/message'],
    ['fail', { ...fail, message: undefined }, '/message'],
    ['fail', { ...fail, retryable: undefined }, '/retryable'],
    ['fail', { ...fail, after: '-1s' }, '/after'],
    ['fail', { ...fail, after: -1 }, '/after'],
    ['fail', { ...fail, after: '366d' }, '/after'],
    ['again', {}, '/after'],
    ['again', { after: -5 }, '/after'],
    ['again', { after: 31_536_000_001 }, '/after'],
    ['later', { timeout: '9000h' }, '/timeout'],
    ['release', { reason: '' }, '/reason'],
    ['complete', { output: {}, outputs: {} }, '/outputs'],
    ['complete', { poll: { max: 0 } }, '/poll'],
    ['complete', { poll: { max: 1, module: 'm' } }, '/poll'],
    ['complete', { log: {} }, '/log'],
    ['complete', { creates: {} }, '/creates'],
    ['complete', { creates: [{ type: 'vm' }] }, '/creates'],
    ['complete', { released: [{ type: 'v m', id: 'a' }] }, '/released'],
    ['complete', { released: [{ type: 'vm', id: 'a', more: 1 }] }, '/released'],
    ['complete', { log: [5] }, '/log'],
    ['complete', { log: [{ message: 'a', level: 'loud' }] }, '/log'],
    ['complete', { log: [{ message: 'a', agoMs: -1 }] }, '/log'],
    ['complete', { logDropped: -1 }, '/logDropped'],
    ['heartbeat', { progress: { percent: 101 } }, '/progress'],
    ['heartbeat', { progress: { message: 'x'.repeat(501) } }, '/progress'],
    ['heartbeat', { progress: 5 }, '/progress'],
    ['heartbeat', { progress: { state: '' } }, '/progress'],
    ['heartbeat', { progress: { state: 'two words' } }, '/progress'],
    ['heartbeat', { progress: { state: 'x'.repeat(65) } }, '/progress'],
  ])('(%s %j) is refused at %s', async (verb, said, pointer) => {
    const { body, status } = await send('POST', `/v1/work/${claim}:${verb}`, said);
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer }] }]);
  });

  it.each([
    [{ claims: [] }, '/worker'],
    [{ worker: 'w' }, '/claims'],
    [{ worker: 'w', claims: Array.from({ length: 101 }, () => ({ claim: 'c' })) }, '/claims'],
    [{ worker: 'w', claims: [5] }, '/claims/0'],
    [{ worker: 'w', claims: [{ claim: 'c' }, {}] }, '/claims/1/claim'],
    [{ worker: 'w', claims: [{ claim: 'c', log: 5 }] }, '/claims/0/log'],
    [{ worker: 'w', claims: [{ claim: 'c', more: 5 }] }, '/claims/0/more'],
  ])('(heartbeat %j) is refused at %s', async (said, pointer) => {
    const { body, status } = await send('POST', '/v1/work:heartbeat', said);
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer }] }]);
  });

  it('is no JSON, or of another type', async () => {
    const url = `/v1/work/${claim}:complete`;
    const broken = await send('POST', url, '{"output": ');
    expect(broken).toMatchObject({ status: 400, body: { code: 'MALFORMED_JSON' } });
    const type = { 'content-type': 'text/plain' };
    const typed = await guarded.gateway.post(url, 'output', { ...headers, ...type });
    expect(typed.json()).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
  });
});

describe('a wrong registration', () => {
  const good = { modules: { m: { a: {} } }, slots: 1 };

  it.each([
    [{ slots: 1 }, '/modules'],
    [{ modules: {}, slots: 1 }, '/modules'],
    [{ modules: { 'm m': {} }, slots: 1 }, '/modules'],
    [{ modules: { m: ['a'] }, slots: 1 }, '/modules'],
    [{ modules: { m: { a: { parameters: [] } } }, slots: 1 }, '/modules'],
    [{ modules: { m: { a: { secrets: [5] } } }, slots: 1 }, '/modules'],
    [{ modules: { m: { a: { other: 1 } } }, slots: 1 }, '/modules'],
    [{ modules: good.modules }, '/slots'],
    [{ ...good, slots: 0 }, '/slots'],
    [{ ...good, host: 'a\nb' }, '/host'],
    [{ ...good, state: 'draining' }, '/state'],
    [{ state: 'gone' }, '/state'],
    [{ ...good, pid: 1 }, '/pid'],
  ])('(%j) is refused at %s', async (said, pointer) => {
    const { body, status } = await send('PUT', '/v1/workers/w%2F1', said);
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer }] }]);
  });

  it('has the name of a worker in its address', async () => {
    for (const name of ['w%201', 'w'.repeat(129), 'w'.repeat(15_000)]) {
      const { body, status } = await send('PUT', `/v1/workers/${name}`, good);
      expect([status, body]).toMatchObject([400, { errors: [{ pointer: '/worker' }] }]);
    }
  });

  it('of another module is forbidden, and so is the drain of a worker by a worker', async () => {
    const other = { modules: { n: {} }, slots: 1 };
    const { body } = await send('PUT', '/v1/workers/w:1', other);
    expect(body).toMatchObject({ code: 'FORBIDDEN', detail: expect.stringContaining('module n') });
    const drained = await send('PUT', '/v1/workers/w:1', { state: 'draining' });
    expect(drained.body).toMatchObject({ detail: expect.stringContaining('needs operator') });
  });
});
