import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { Controller, Get, Header } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHttpApp, type HttpApp } from './http-adapter.js';

@Controller()
class Answers {
  @Get('object')
  object(): object {
    return { name: 'ä' };
  }

  @Get('text')
  @Header('content-type', 'application/json; charset=utf-8')
  text(): string {
    return '{"name":"ä"}';
  }

  @Get('flow')
  @Header('content-type', 'application/jsonc; charset=utf-8')
  flow(): string {
    return '{} // as it was written';
  }

  @Get('page')
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return '<p>';
  }
}

let http: HttpApp;

beforeAll(async () => {
  const module = { module: class TestModule {}, controllers: [Answers] };
  http = await createHttpApp(module, { bodyLimit: 1_000, idPrefix: 'p', onFault: () => {} });
  await http.app.listen(0, '127.0.0.1');
});
afterAll(() => http.app.close());

it.each(['/object', '/text', '/nowhere', '/%ff'])(
  'ends JSON with one newline, which its length counts: %s',
  async (url) => {
    const got = await http.app.inject(url);
    expect(got.body).toMatch(/^\{.*\}\n$/);
    expect(got.headers['content-length']).toBe(`${Buffer.byteLength(got.body)}`);
    const head = await http.app.inject({ method: 'HEAD', url });
    if (got.statusCode === 200)
      expect(head.headers['content-length']).toBe(got.headers['content-length']);
  },
);

it('ends the answer to bytes that are no request with one, too', async () => {
  const { port } = http.app.getHttpServer().address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('nonsense\r\n\r\n');
  const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n');
  expect(body).toMatch(/^\{.*\}\n$/);
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
});

it('leaves texts of other types as they are', async () => {
  expect((await http.app.inject('/flow')).body).toBe('{} // as it was written');
  expect((await http.app.inject('/page')).body).toBe('<p>');
});
