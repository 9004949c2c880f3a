import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { Controller, Get, HttpException, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { InvalidCursor, StoreDamaged, StoreUnavailable, TransportUnavailable } from '#ports';
import { ManualClock } from '#testing';
import { HealthModule } from './health.js';
import { createHttpApp, type HttpApp } from './http-adapter.js';
import type { Problem } from './problems.js';

@Controller()
class Things {
  @Post('things')
  take(@Req() { body }: FastifyRequest): object {
    return { body };
  }

  @Post('texts')
  @RouteConfig({ takesText: true })
  takeText(@Req() { body }: FastifyRequest): object {
    return { body };
  }

  @Get('page')
  @RouteConfig({ isPage: true })
  page(): object {
    return {};
  }

  @Get('things/:id([^:]+)')
  show(@Req() { params }: FastifyRequest): object {
    return params as object;
  }

  @Post('things::sort')
  sort(): object {
    return {};
  }

  @Post('things/:id([^:]+)::mend')
  mend(): object {
    return {};
  }

  @Get('fail/:what')
  fail(@Req() { params }: FastifyRequest): never {
    throw ERRORS[(params as { what: string }).what];
  }
}

const ERRORS: Readonly<Record<string, unknown>> = {
  store: new StoreUnavailable('secret address'),
  damaged: new StoreDamaged('The file of the store was removed.'),
  cursor: new InvalidCursor('c'),
  transport: new TransportUnavailable('secret address'),
  bug: new TypeError('secret'),
  nothing: undefined,
  teapot: new HttpException('teapot', 418),
};

let http: HttpApp;
const faults: Problem[] = [];
const clock = new ManualClock();
let check: () => Promise<void> = async () => {};

beforeAll(async () => {
  const metrics = { contentType: 'text/plain; version=0.0.4', text: () => 'up 1\n' };
  const checks = [
    { name: 'store', check: () => check() },
    { name: 'broker', check: async () => {} },
  ];
  http = await createHttpApp(
    {
      module: class TestModule {},
      controllers: [Things],
      imports: [HealthModule.register({ checks, clock, metrics })],
    },
    { bodyLimit: 1_000, idPrefix: 'p', onFault: (problem) => faults.push(problem) },
  );
  await http.app.listen(0, '127.0.0.1');
});
afterAll(() => http.app.close());
beforeEach(() => {
  faults.length = 0;
  check = async () => {};
});

const json = { 'content-type': 'application/json' };
type Given = Parameters<HttpApp['app']['inject']>[0];

async function ask(given: Given) {
  const answer = await http.app.inject(given as { url: string });
  return { answer, body: answer.json<Record<string, unknown>>() };
}

/** Sends what no client would, and gives what comes back until the end. */
function send(head: string, body = ''): Promise<string> {
  const { port } = http.app.getHttpServer().address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}Connection: close\r\n\r\n${body}`);
  return textOf(socket);
}

describe('every answer', () => {
  it('carries the id of its request', async () => {
    const { answer } = await ask({ url: '/livez', headers: { 'x-request-id': 'mine:1.2~3-a_b' } });
    expect(answer.headers['x-request-id']).toBe('mine:1.2~3-a_b');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(['', 'a b', 'a\u0000', '<script>', 'x'.repeat(129)])(
    'has an id of its own instead of %.20j',
    async (id) => {
      const first = await ask({ url: '/nope', headers: { 'x-request-id': id } });
      const second = await ask({ url: '/livez' });
      expect(first.answer.headers['x-request-id']).toMatch(/^p-[0-9a-z]+$/);
      expect(first.body['requestId']).toBe(first.answer.headers['x-request-id']);
      expect(second.answer.headers['x-request-id']).not.toBe(first.body['requestId']);
    },
  );
});

describe('what every answer says to browsers', () => {
  it.each(['/livez', '/metrics', '/nope', '/things', '/%ff', '/fail/bug'])(
    'is there: %s',
    async (url) => {
      const answer = await http.app.inject(url);
      expect(answer.headers).toMatchObject({
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        vary: expect.stringMatching(/^Origin, Authorization, Cookie, /),
      });
    },
  );
});

describe('a request of another place', () => {
  it.each(['/livez', '/readyz', '/metrics', '/things/a', '/nope'])(
    'is refused: %s',
    async (url) => {
      const foreign = { origin: 'http://evil.example' };
      expect((await ask({ url, headers: foreign })).body).toMatchObject({ code: 'FOREIGN_ORIGIN' });
      const site = { 'sec-fetch-site': 'cross-site' };
      expect((await ask({ url, headers: site })).answer.statusCode).toBe(403);
      const rebound = { host: 'evil.example' };
      expect((await ask({ url, headers: rebound })).answer.statusCode).toBe(421);
    },
  );

  it('may open a page, but nothing else', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const visit = { ...link, 'sec-fetch-dest': 'document' };
    expect((await ask({ url: '/page', headers: visit })).answer.statusCode).toBe(200);
    expect((await ask({ url: '/things/a', headers: visit })).answer.statusCode).toBe(403);
    const framed = { ...link, 'sec-fetch-dest': 'iframe' };
    expect((await ask({ url: '/page', headers: framed })).answer.statusCode).toBe(403);
    const post = { ...visit, 'content-type': 'application/json' };
    expect((await ask({ method: 'POST', url: '/things', headers: post })).answer.statusCode).toBe(
      403,
    );
  });

  it('has one `Host`', async () => {
    expect(await send('GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n')).toMatch(
      /^HTTP\/1.1 400 [^]*more than one `Host`/,
    );
  });
});

describe('an address', () => {
  it.each(['/nope', '/things/a/b', '/things/a:nope', '/THINGS', '//things', '/things/'])(
    '%s that is nowhere is not found',
    async (url) => {
      const { answer, body } = await ask({ method: 'POST', url });
      expect(answer.statusCode).toBe(404);
      expect(body).toMatchObject({ code: 'NOT_FOUND', instance: url });
    },
  );

  it.each([
    ['GET', '/things', 'POST'],
    ['DELETE', '/things', 'POST'],
    ['POST', '/things/a', 'GET, HEAD'],
    ['GET', '/things/a:mend?x=1', 'POST'],
    ['OPTIONS', '/things/a', 'GET, HEAD'],
    ['PUT', '/livez', 'GET, HEAD'],
  ])('%s %s takes other methods', async (method, url, allow) => {
    const { answer, body } = await ask({ method: method as 'GET', url });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers['allow']).toBe(allow);
    expect(body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  it.each(['/things/a:mend', '/things/a%3Amend', '/things%3Asort', '/things%3asort?x=1'])(
    '%s may have an escaped colon before its verb',
    async (url) => {
      const { answer } = await ask({ method: 'POST', url });
      expect(answer.statusCode).toBe(201);
    },
  );

  it.each([
    '/thing%73/a',
    '/things/a:%6Dend',
    '/things/a%3A%6dend',
    '/%74hings',
    '/things/%2E',
    '/things/%2e%2E',
    '/things/.%2e',
  ])('%s with a word of its path in escapes is not found', async (url) => {
    for (const method of ['GET', 'POST', 'PUT'] as const) {
      const { answer, body } = await ask({ method, url });
      expect(answer.statusCode).toBe(404);
      expect(body).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it.each(['%7e', '%2Ea', '%5F', '%39', 'a%7E2', '%61%62', '%2D'])(
    'may spell a parameter in escapes: %s',
    async (text) => {
      const plain = decodeURIComponent(text);
      expect((await ask({ url: `/things/${text}` })).body).toEqual({ id: plain });
      const { answer } = await ask({ method: 'POST', url: `/things/${text}%3Amend` });
      expect(answer.statusCode).toBe(201);
    },
  );

  it('may have escapes that are needed, and any in its query', async () => {
    for (const url of ['/things/%20%C3%A4%2F%25%40%5B%60%7B', '/things/a?x=%61']) {
      expect((await ask({ url })).answer.statusCode).toBe(200);
    }
  });

  it('may have a part of any length: its route says what is wrong with it', async () => {
    const id = 'a'.repeat(15_000);
    expect((await ask({ url: `/things/${id}` })).body).toEqual({ id });
  });

  it.each(['/things/%', '/things/%ff', '/%c0%ae', '/things/%00:x'])(
    '%.20s that cannot be read is refused',
    async (url) => {
      const { answer, body } = await ask({ url });
      expect([400, 404]).toContain(answer.statusCode);
      expect(body['code']).toBe(answer.statusCode === 404 ? 'NOT_FOUND' : 'INVALID_REQUEST');
      expect(answer.headers['x-request-id']).toBe(body['requestId']);
    },
  );
});

describe('a body', () => {
  const post = (payload: string, headers: Record<string, string> = json) =>
    ask({ method: 'POST', url: '/things', payload, headers });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json; foo=bar',
    'application/json;foo="b;a\\"r" ; Charset=Utf-8;',
  ])('may be %s', async (type) => {
    const { body } = await post('{"a":1}', { 'content-type': type });
    expect(body).toEqual({ body: { a: 1 } });
  });

  it.each([
    'text/plain',
    'application/jsonc',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/json; charset=latin1',
    'application/json; foo=bar; charset="iso-8859-1"',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; foo',
    'application/jsonx',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('may not be %s', async (type) => {
    const { answer, body } = await post('{"a":1}', { 'content-type': type });
    expect(answer.statusCode).toBe(415);
    expect(body).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      detail: 'Only application/json in UTF-8 is taken.',
    });
  });

  it('may not be compressed', async () => {
    const { answer } = await post('{}', { ...json, 'content-encoding': 'gzip' });
    expect(answer.statusCode).toBe(415);
    const head = 'POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const chunked = 'Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n';
    expect(await send(`${head}${chunked}`, '2\r\n{}\r\n0\r\n\r\n')).toMatch(/^HTTP\/1.1 415 /);
  });

  it.each(['application/json', 'application/jsonc', 'application/jsonc; charset=utf-8'])(
    'may be %s where text is asked for, and nothing that a form can send',
    async (type) => {
      const ask = (type: string) =>
        http.app.inject({
          method: 'POST',
          url: '/texts',
          payload: '{} // c',
          headers: { 'content-type': type },
        });
      expect((await ask(type)).json()).toEqual({ body: '{} // c' });
      for (const form of [
        'text/plain',
        'text/plain;charset=UTF-8',
        'application/jsonc; charset=latin1',
      ]) {
        const answer = await ask(form);
        expect(answer.statusCode).toBe(415);
        const detail = 'Only application/json and application/jsonc in UTF-8 are taken.';
        expect(answer.json()).toMatchObject({ detail });
      }
    },
  );

  it.each(['Content-Length: 0\r\n', '', 'Transfer-Encoding: chunked\r\n'])(
    'is none where it is empty, whatever type is announced: %j',
    async (length) => {
      for (const path of ['/things', '/texts']) {
        const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
        const answer = await send(`${head}${length}`, length.startsWith('T') ? '0\r\n\r\n' : '');
        expect(answer).toMatch(/^HTTP\/1.1 201 [^]*\r\n\r\n{}\n?$/);
      }
    },
  );

  it('may be as large as the limit', async () => {
    const fits = JSON.stringify('x'.repeat(998));
    expect((await post(fits)).answer.statusCode).toBe(201);
    const { answer, body } = await post(JSON.stringify('x'.repeat(999)));
    expect(answer.statusCode).toBe(413);
    expect(body).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      detail: 'The body is longer than the 1000 bytes that are allowed here.',
    });
  });

  it.each([true, false])(
    'that is too large is answered, not reset (announced: %s)',
    async (known) => {
      const { port } = http.app.getHttpServer().address() as AddressInfo;
      const chunk = Buffer.alloc(1_048_576, 0x20);
      // Without the second, Node announces the length of a body that it gets in one piece.
      const length = known
        ? { 'content-length': chunk.length }
        : { 'transfer-encoding': 'chunked' };
      const headers = { ...json, ...length };
      const body = await new Promise<string>((resolve, reject) => {
        const sent = request({ port, method: 'POST', path: '/things', headers }, (answer) => {
          resolve(textOf(answer));
        });
        sent.on('error', reject);
        sent.end(chunk);
      });
      const detail = 'The body is longer than the 1000 bytes that are allowed here.';
      expect(JSON.parse(body)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413, detail });
    },
  );
});

describe('an error', () => {
  it.each([
    ['store', 503, 'STORE_UNAVAILABLE'],
    ['damaged', 503, 'STORE_DAMAGED'],
    ['cursor', 400, 'INVALID_REQUEST'],
    ['transport', 500, 'INTERNAL'],
    ['bug', 500, 'INTERNAL'],
    ['nothing', 500, 'INTERNAL'],
    ['teapot', 400, 'INVALID_REQUEST'],
  ])('of kind %s is %d %s', async (what, status, code) => {
    const { answer, body } = await ask({ url: `/fail/${what}` });
    expect(answer.statusCode).toBe(status);
    expect(body).toMatchObject({ status, code });
    expect(answer.body).not.toContain('secret');
    expect(faults.map((fault) => fault.code)).toEqual(code === 'INTERNAL' ? ['INTERNAL'] : []);
  });

  it('answers bytes that are no request', async () => {
    const { port } = http.app.getHttpServer().address() as AddressInfo;
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
      socket.setEncoding('utf8');
      socket.on('data', (data: string) => (received += data));
      socket.on('end', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
    expect(text).toContain('"code":"INVALID_REQUEST"');
  });
});

it('a store that does not answer leaves nobody in doubt about a read', async () => {
  const { body } = await ask({ url: '/fail/store' });
  expect(body['detail']).toBe('The store did not answer; nothing was changed.');
});

describe('the health of a process', () => {
  it('is live', async () => {
    expect((await ask({ url: '/livez' })).body).toEqual({ status: 'live' });
  });

  it('is ready when everything is there', async () => {
    const { answer, body } = await ask({ url: '/readyz' });
    expect(answer.statusCode).toBe(200);
    const checks = ['store', 'broker'].map((name) => ({ name, ready: true, message: null }));
    expect(body).toEqual({ status: 'ready', checks, auth: 'off', signIn: null, notes: [] });
  });

  it('names what is not ready', async () => {
    check = () => Promise.reject(new Error('no answer'));
    const { answer, body } = await ask({ url: '/readyz' });
    expect(answer.statusCode).toBe(503);
    expect(body).toMatchObject({
      status: 'not_ready',
      checks: [
        { name: 'store', ready: false, message: 'no answer' },
        { name: 'broker', ready: true },
      ],
    });
  });

  it('does not wait for ever', async () => {
    check = () => new Promise(() => {});
    const answer = ask({ url: '/readyz' });
    while (clock.timers === 0) await clock.advance(0);
    await clock.advance(2_000);
    expect((await answer).body).toMatchObject({
      checks: [{ message: 'no answer within 2 s' }, {}],
    });
  });

  it('tells its numbers', async () => {
    const answer = await http.app.inject('/metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0.0.4/);
    expect(answer.body).toBe('up 1\n');
  });
});
