import { Controller, Get, Post } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { EVERYBODY, type Principal } from '#access';
import { ManualClock } from '#testing';
import { HealthModule } from './health.js';
import { createHttpApp, type HttpApp } from './http-adapter.js';
import { clientAddress, RateBuckets, RequestLimits } from './request-limits.js';

@Controller()
class Things {
  @Get('things')
  show(): object {
    return {};
  }

  @Post('things')
  take(): object {
    return {};
  }
}

class ThingsModule {}

const CALLERS: Readonly<Record<string, Principal>> = {
  ada: { ...EVERYBODY, name: 'ada', keyId: 'a' },
  bob: { ...EVERYBODY, name: 'bob', keyId: 'b' },
};

let clock: ManualClock;
let http: HttpApp;

beforeEach(async () => {
  clock = new ManualClock();
  const metrics = { contentType: 'text/plain', text: () => '' };
  const health = HealthModule.register({ checks: [], clock, metrics });
  http = await createHttpApp(
    { module: ThingsModule, imports: [health], controllers: [Things] },
    {
      bodyLimit: 1_000,
      idPrefix: 't',
      clock,
      access: { find: (token) => CALLERS[token] ?? null },
      limits: new RequestLimits({
        clock,
        perKey: 2,
        bytesPerKey: 100,
        perAddress: 10,
        failures: 3,
      }),
      onFault: (problem) => {
        throw problem;
      },
    },
  );
  await http.app.init();
  await http.app.getHttpAdapter().getInstance().ready();
});
afterEach(() => http.app.close());

function ask(token?: string, more: object = {}): Promise<LightMyRequestResponse> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return http.app.inject({ url: '/things', headers, ...more });
}

async function statusesOf(times: number, token?: string, more?: object): Promise<string> {
  const answers: number[] = [];
  for (let n = 0; n < times; n += 1) answers.push((await ask(token, more)).statusCode);
  return answers.join(' ');
}

describe('requests', () => {
  it('with one key come at its rate, twice as many in a row', async () => {
    expect(await statusesOf(5, 'ada')).toBe('200 200 200 200 429');
    expect(await statusesOf(1, 'bob')).toBe('200');
    await clock.advance(500);
    expect(await statusesOf(2, 'ada')).toBe('200 429');
  });

  it('that are too many learn when to come again', async () => {
    await statusesOf(4, 'ada');
    const answer = await ask('ada');
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429 });
  });

  it('from one address come at its rate, whatever they show', async () => {
    expect(await statusesOf(20)).not.toContain('429');
    expect(await statusesOf(1, 'bob')).toBe('429');
    expect(await statusesOf(1, 'bob', { remoteAddress: '10.0.0.9' })).toBe('200');
  });

  it('about health are always answered', async () => {
    await statusesOf(20);
    for (const url of ['/livez', '/readyz']) {
      expect((await http.app.inject({ url })).statusCode).toBe(200);
    }
  });

  it('are refused before their body is read', async () => {
    await statusesOf(20);
    const headers = { 'content-type': 'application/json' };
    const answer = await ask('bob', { method: 'POST', headers, payload: 'x' });
    expect(answer.statusCode).toBe(429);
  });
});

describe('bodies', () => {
  const body = (name: string, bytes: number) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${name}` },
    payload: JSON.stringify({ a: 'x'.repeat(bytes - '{"a":""}'.length) }),
  });

  it('beyond the bound keep the next requests of their key waiting', async () => {
    expect(await statusesOf(1, 'ada', body('ada', 200))).toBe('201');
    expect(await statusesOf(1, 'ada', body('ada', 350))).toBe('201');
    expect(await statusesOf(1, 'bob', body('bob', 100))).toBe('201');
    const answer = await ask('ada');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '4']);
    expect(answer.json()).toMatchObject({ detail: expect.stringContaining('bytes') });
    await clock.advance(3_600);
    expect(await statusesOf(1, 'ada')).toBe('200');
  });
});

describe('keys that are not taken', () => {
  it('are refused otherwise once too many came from an address in a minute', async () => {
    expect(await statusesOf(4, 'guess')).toBe('401 401 401 429');
    expect(await statusesOf(1, 'guess', { remoteAddress: '10.0.0.9' })).toBe('401');
    await clock.advance(20_000);
    expect(await statusesOf(2, 'guess')).toBe('401 429');
  });

  it('keep nobody out who has a good one', async () => {
    await statusesOf(5, 'guess');
    expect(await statusesOf(1, 'ada')).toBe('200');
  });

  it('do not count where nothing was shown', async () => {
    expect(await statusesOf(6)).toBe('401 401 401 401 401 401');
  });
});

describe('buckets', () => {
  it('are kept for so many names at most', () => {
    const buckets = new RateBuckets({ clock, perSecond: 1, burst: 1 });
    for (let n = 0; n < 25_000; n += 1) buckets.take(`${n}`);
    expect(buckets.size).toBe(10_000);
    expect(buckets.take('24999')).toBeGreaterThan(0);
  });

  it('are none where there is no bound', () => {
    const buckets = new RateBuckets({ clock, perSecond: Infinity, burst: Infinity });
    expect(buckets.take('a')).toBe(0);
    expect(buckets.size).toBe(0);
  });
});

describe('an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::1', '0:0:0:0::'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8::7', '2001:db8:0:0::'],
  ])('%s counts as %s', (remoteAddress, client) => {
    expect(clientAddress({ remoteAddress })).toBe(client);
  });
});
