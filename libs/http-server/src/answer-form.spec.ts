import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Controller, Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { ManualClock } from '#testing';
import { HealthModule } from './health.js';
import { createHttpApp, type HttpApp } from './http-adapter.js';

const LONG = { text: 'backstep '.repeat(1_000) };
const LONG_TEXT = `${JSON.stringify(LONG)}\n`;

@Controller()
class Things {
  @Get('long')
  @RouteConfig({ isTagged: true })
  long(): object {
    return LONG;
  }

  @Get('record')
  record(@Res() reply: FastifyReply): void {
    reply.header('etag', '"3"').type('application/json').send('{"a":1}');
  }

  @Get('short')
  @RouteConfig({ isTagged: true })
  short(@Res() reply: FastifyReply): void {
    reply.header('etag', '"3"').type('application/json').send('{"a":1}');
  }

  @Get('stream')
  stream(@Res() reply: FastifyReply): void {
    reply.type('application/json').send(Readable.from([LONG_TEXT.slice(0, 9), LONG_TEXT.slice(9)]));
  }

  @Get('picture')
  picture(@Res() reply: FastifyReply): void {
    reply.type('image/png').send(Buffer.alloc(10_000));
  }
}

let http: HttpApp;

beforeAll(async () => {
  const metrics = {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: () => 'up 1\n'.repeat(1_000),
  };
  const health = HealthModule.register({ checks: [], clock: new ManualClock(), metrics });
  http = await createHttpApp(
    { module: class TestModule {}, controllers: [Things], imports: [health] },
    {
      bodyLimit: 1_000,
      idPrefix: 'p',
      onFault: () => {},
      origins: {
        listener: '127.0.0.1',
        hosts: [],
        sharedWith: ['https://app.example', 'http://localhost:5173'],
      },
    },
  );
  await http.app.init();
  await http.app.getHttpAdapter().getInstance().ready();
});
afterAll(() => http.app.close());

function ask(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return http.app.inject({ method: method as 'GET', url, headers });
}

describe('an answer', () => {
  it.each([
    ['/long', 'gzip, deflate, br', 'br'],
    ['/long', 'gzip, br;q=0', 'gzip'],
    ['/long', '*', 'gzip'],
    ['/stream', 'br', 'br'],
    ['/stream', 'gzip', 'gzip'],
    ['/metrics', 'gzip', 'gzip'],
  ])('of %s is compressed for whom takes %s: %s', async (url, accepted, encoding) => {
    const plain = await ask(url);
    const packed = await ask(url, { 'accept-encoding': accepted });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 10);
    const unpack = encoding === 'br' ? brotliDecompressSync : gunzipSync;
    expect(unpack(packed.rawPayload).toString()).toBe(plain.body);
    for (const { headers } of [plain, packed]) {
      expect(headers['vary']).toMatch(/, Accept-Encoding$/);
    }
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['/short', 'gzip'],
    ['/picture', 'gzip'],
    ['/long', 'identity'],
    ['/long', 'gzip;q=0, br;q=0.0'],
    ['/nope', 'gzip'],
  ])('of %s is sent as it is for whom takes %s', async (url, accepted) => {
    const answer = await ask(url, { 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
  });

  it.each([{}, { 'accept-encoding': 'gzip' }])(
    'is not sent to whom has it by its tag (%j)',
    async (headers) => {
      for (const [url, form] of [
        ['/short', /^"3"$/],
        ['/long', /^W\/"[\w-]{22}"$/],
      ] as const) {
        const { headers: given } = await ask(url, headers);
        expect(given['etag']).toMatch(form);
        const tag = String(given['etag']);
        for (const known of [tag, `"x", ${tag}`, tag.replace(/^W\//, ''), '*']) {
          const again = await ask(url, { ...headers, 'if-none-match': known });
          expect([again.statusCode, again.body]).toEqual([304, '']);
          expect(again.headers['etag']).toBe(tag);
          expect(again.headers['cache-control']).toBe('no-store');
          for (const name of ['content-type', 'content-length', 'content-encoding']) {
            expect(again.headers[name]).toBeUndefined();
          }
        }
        expect((await ask(url, { ...headers, 'if-none-match': '"x"' })).statusCode).toBe(200);
        expect((await ask(url, { 'if-none-match': tag }, 'HEAD')).statusCode).toBe(304);
      }
    },
  );
});

it('an answer with a tag for changes alone is always sent', async () => {
  const answer = await ask('/record', { 'if-none-match': '"3"' });
  expect([answer.statusCode, answer.headers['etag']]).toEqual([200, '"3"']);
});

describe('a page of another origin', () => {
  const origin = 'https://app.example';

  it('that is listed reads answers, errors too, and never by credentials of the browser', async () => {
    for (const [url, status] of [
      ['/short', 200],
      ['/nope', 404],
    ] as const) {
      const answer = await ask(url, { origin, 'sec-fetch-site': 'cross-site' });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': expect.stringMatching(
          /ETag.*Link.*Location.*Retry-After.*X-Request-Id/,
        ),
        vary: expect.stringMatching(/^Origin/),
      });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('that is listed is told what it may send', async () => {
    const asked = {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization, x-backstep-console',
    };
    const answer = await ask('/short', asked, 'OPTIONS');
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringMatching(/Authorization.*Idempotency-Key/),
      'access-control-max-age': '600',
    });
    expect(answer.headers['access-control-allow-headers']).not.toMatch(/console|proxy|cookie/i);
    const { 'access-control-request-method': _method, ...plain } = asked;
    expect((await ask('/short', plain, 'OPTIONS')).statusCode).toBe(405);
  });

  it.each(['https://evil.example', 'http://app.example', 'https://app.example:8443', 'null', '*'])(
    'that is not listed reads nothing: %s',
    async (origin) => {
      for (const method of ['GET', 'OPTIONS']) {
        const asked = { origin, 'access-control-request-method': 'GET' };
        const answer = await ask('/short', asked, method);
        expect(answer.statusCode).toBe(403);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    },
  );

  it('is asked by no other host than before', async () => {
    const answer = await ask('/short', { origin, host: 'evil.example' });
    expect(answer.statusCode).toBe(421);
  });
});
