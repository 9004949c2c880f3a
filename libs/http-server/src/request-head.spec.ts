import { type AddressInfo, connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { Controller, Get, Post, Req } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { ManualClock } from '#testing';
import { HealthModule } from './health.js';
import { createHttpApp, type HttpApp } from './http-adapter.js';
import { QueryReader } from './query-reader.js';

@Controller()
class Things {
  @Post('things')
  take(@Req() { body, headers }: FastifyRequest): object {
    return { body, match: headers['if-match'] };
  }

  @Post('orders')
  order(): object {
    return {};
  }

  @Get('things')
  list(@Req() { query }: FastifyRequest): object {
    const reader = new QueryReader(query).expectOnly(['a'], 'b.');
    reader.text('a');
    reader.finish();
    return {};
  }
}

let http: HttpApp;

beforeAll(async () => {
  const metrics = { contentType: 'text/plain', text: () => '' };
  const health = HealthModule.register({ checks: [], clock: new ManualClock(), metrics });
  http = await createHttpApp(
    { module: class TestModule {}, controllers: [Things], imports: [health] },
    { bodyLimit: 1_000, idPrefix: 'p', onFault: () => {} },
  );
  await http.app.listen(0, '127.0.0.1');
});
afterAll(() => http.app.close());

interface Heard {
  readonly status: number;
  readonly head: string;
  readonly body: Record<string, unknown>;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Sends a text as it is, and gives the answer. */
async function send(text: string): Promise<Heard> {
  const { port } = http.app.getHttpServer().address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  const answer = await textOf(socket);
  const [head = '', body = ''] = answer.replace(CONTINUE, '').split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head, body: JSON.parse(body || '{}') };
}

const post = (headers: string, body = '{}'): string =>
  `POST /things HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;
const many = (count: number): string =>
  Array.from({ length: count }, (_, n) => `a${n}:\r\n`).join('');

/** A refusal as every other one is: a problem with an id. */
function expectProblem(answer: Heard, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ status, code });
  expect(answer.head).toMatch(/content-type: application\/problem\+json/i);
  expect(answer.head.toLowerCase()).toContain(`x-request-id: ${String(answer.body['requestId'])}`);
}

describe('headers', () => {
  it('are all heard, or the request is refused for their number', async () => {
    const heard = await send(post(`${many(900)}If-Match: "9"\r\n`));
    expect(heard.body).toEqual({ body: {}, match: '"9"' });
    for (const count of [996, 1_100, 2_200]) {
      const refused = await send(post(`${many(count)}If-Match: "9"\r\n`));
      expectProblem(refused, 431, 'HEADERS_TOO_LARGE');
    }
  });

  it('of more bytes than are read have the request refused', async () => {
    const refused = await send(post(`X: ${'x'.repeat(20_000)}\r\nIf-Match: "9"\r\n`));
    expectProblem(refused, 431, 'HEADERS_TOO_LARGE');
  });

  it.each([
    'Authorization: Bearer a',
    'Content-Type: application/json',
    'Idempotency-Key: a',
    'Last-Event-ID: 1',
    'Origin: http://localhost',
    'X-Backstep-Actor: ada',
    'X-Backstep-Groups: dev',
    'X-Backstep-Proxy: secret',
    'X-Backstep-Reason: a, b',
    'X-Request-Id: a',
  ])('that have one value are there once: %s', async (header) => {
    const [name = ''] = header.split(':');
    const refused = await send(post(`${header}\r\n${header}\r\n`));
    expectProblem(refused, 400, 'INVALID_REQUEST');
    expect(refused.body['errors']).toEqual([
      expect.objectContaining({
        pointer: `/${name}`,
        message: `There is more than one \`${name}\` header.`,
      }),
    ]);
  });

  it('may have a comma, and lists may be in several', async () => {
    const heard = await send(post('Idempotency-Key: a, b\r\nIf-Match: "1"\r\nIf-Match: "2"\r\n'));
    expect(heard.body).toEqual({ body: {}, match: '"1", "2"' });
  });

  it('after the body are refused', async () => {
    const head =
      'POST /things HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const refused = await send(`${head}2\r\n{}\r\n0\r\nIf-Match: "9"\r\n\r\n`);
    expectProblem(refused, 400, 'INVALID_REQUEST');
    expect(refused.body['errors']).toMatchObject([{ pointer: '/If-Match' }]);
    expect((await send(`${head}2\r\n{}\r\n0\r\n\r\n`)).status).toBe(201);
  });

  it('that expect something else than to go on are refused', async () => {
    expectProblem(await send(post('Expect: magic\r\n')), 417, 'EXPECTATION_FAILED');
    expect((await send(post('Expect: 100-continue\r\n'))).status).toBe(201);
  });

  it('name a host, but for an old probe', async () => {
    const bare = 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n';
    expectProblem(await send(bare), 400, 'INVALID_REQUEST');
    for (const path of ['/livez', '/readyz']) {
      expect((await send(`GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(200);
    }
    expectProblem(await send('GET /things HTTP/1.0\r\n\r\n'), 421, 'WRONG_HOST');
    const named = 'GET /livez HTTP/1.0\r\nHost: evil.example\r\n\r\n';
    expectProblem(await send(named), 421, 'WRONG_HOST');
  });
});

describe('what is no request', () => {
  it.each([
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ])('is answered with a problem: %j', async (text) => {
    expectProblem(await send(text), 400, 'INVALID_REQUEST');
  });
});

describe('a request that reads', () => {
  it('has no body', async () => {
    const sized = get('/things', 'Content-Length: 2\r\n');
    expectProblem(await send(`${sized}{}`), 400, 'INVALID_REQUEST');
    const chunked = get('/livez', 'Transfer-Encoding: chunked\r\n');
    expectProblem(await send(`${chunked}0\r\n\r\n`), 400, 'INVALID_REQUEST');
    expect((await send(get('/things', 'Content-Length: 0\r\n'))).status).toBe(200);
  });

  it('is told of its method first where that is not taken', async () => {
    const answer = await send(`${get('/orders', 'Content-Length: 2\r\n')}{}`);
    expectProblem(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.head.toLowerCase()).toContain('allow: post');
  });

  it('has each parameter once, and none beyond a number that goes unheard', async () => {
    expectProblem(await send(get('/things?a=1&a=1')), 400, 'INVALID_REQUEST');
    const parameters = Array.from({ length: 1_500 }, (_, n) => `b.${n}=`).join('&');
    expect((await send(get(`/things?${parameters}`))).status).toBe(200);
    expectProblem(await send(get(`/things?${parameters}&c=1`)), 400, 'INVALID_REQUEST');
  });
});
