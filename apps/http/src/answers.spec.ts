import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import zlib from 'node:zlib';

import type { TerminalError } from '#executor';
import { CheckedResolver, exceptionsOf, HttpClient } from '#outbound';
import { commandContext, ManualClock } from '#testing';
import { RequestExecutor } from './request.executor.js';
import type { RequestParameters } from './request.parameters.js';

const BODY_MAX = 10_000;

/** Everything that the server writes and then everything that it was sent. */
let raw: Buffer = Buffer.alloc(0);
let ends = true;
let received = '';
let origin = '';
const sockets = new Set<Socket>();

const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received += String(chunk);
    const isTls = chunk[0] === 0x16;
    if (!isTls && !received.includes('\r\n\r\n')) return;
    if (ends) socket.end(raw);
    else socket.write(raw);
  });
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  received = '';
  ends = true;
});

afterAll(() => void server.close());

function answering(head: readonly string[], body: Buffer | string = '', status = '200 OK'): void {
  const lines = [`HTTP/1.1 ${status}`, ...head, '', ''].join('\r\n');
  raw = Buffer.concat([Buffer.from(lines), Buffer.from(body)]);
}

/** With its length. */
function whole(head: readonly string[], body: Buffer | string): void {
  answering([...head, `Content-Length: ${Buffer.byteLength(body)}`], body);
}

const clock = new ManualClock(0);
const allowed = new CheckedResolver(exceptionsOf(['127.0.0.1']));
const context = () => commandContext({ taskId: 't-1', module: 'http', command: 'request' });

async function request(parameters: object = {}, resolver = allowed): Promise<unknown> {
  const executor = new RequestExecutor(new HttpClient({ bodyMax: BODY_MAX, resolver }), clock);
  const given = { method: 'GET', url: origin, ...parameters } as RequestParameters;
  try {
    return await executor.request(given, context());
  } catch (error) {
    const { code, message, name, noEffect } = error as TerminalError;
    return { name, code, message, noEffect };
  }
}

const JSON_HEAD = 'Content-Type: application/json';
const TEXT = '{"id":"é€"}';

describe('a body', () => {
  it.each([
    ['gzip', zlib.gzipSync(TEXT)],
    ['x-gzip', zlib.gzipSync(TEXT)],
    ['deflate', zlib.deflateSync(TEXT)],
    ['deflate', zlib.deflateRawSync(TEXT)],
    ['BR', zlib.brotliCompressSync(TEXT)],
    ['deflate, gzip', zlib.gzipSync(zlib.deflateSync(TEXT))],
    ['identity', Buffer.from(TEXT)],
  ])('that is encoded by %s is decoded', async (encoding, body) => {
    whole([JSON_HEAD, `Content-Encoding: ${encoding}`], body);
    expect(await request()).toMatchObject({ status: 200, body: { id: 'é€' } });
  });

  it.each([
    ['an unknown encoding', 'rot13', Buffer.from(TEXT)],
    ['bytes that are not of its encoding', 'gzip', Buffer.from(TEXT)],
    ['a part of its encoding', 'gzip', zlib.gzipSync(TEXT).subarray(0, 20)],
    ['many encodings', 'gzip, gzip, gzip, gzip', Buffer.from(TEXT)],
  ])('of %s fails for good', async (_name, encoding, body) => {
    whole([`Content-Encoding: ${encoding}`], body);
    const failure = { name: 'TerminalError', code: 'UNREADABLE_BODY', noEffect: false };
    expect(await request()).toMatchObject(failure);
  });

  it('that is larger than it may be once it is decoded fails', async () => {
    whole(['Content-Encoding: gzip'], zlib.gzipSync(Buffer.alloc(BODY_MAX)));
    expect(await request()).toMatchObject({ status: 200 });
    whole(['Content-Encoding: gzip'], zlib.gzipSync(Buffer.alloc(BODY_MAX + 1)));
    expect(await request()).toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
  });

  it('of zstd is decoded where Node can, and else fails', async () => {
    const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: typeof zlib.gzipSync };
    whole(['Content-Encoding: zstd'], zstdCompressSync?.('it') ?? 'x');
    const outcome = zstdCompressSync ? { body: 'it' } : { code: 'UNREADABLE_BODY' };
    expect(await request()).toMatchObject(outcome);
  });
});

describe('a text', () => {
  it.each([
    ['iso-8859-1', Buffer.from('caf\u00e9', 'latin1'), 'café'],
    ['latin1', Buffer.from([0x80, 0x99]), '€™'],
    ['"windows-1251"', Buffer.from([0xcf]), 'П'],
    ['UTF-16LE', Buffer.from('é', 'utf16le'), 'é'],
    ['utf-16be', Buffer.from([0, 0xe9]), 'é'],
    ['iso-8859-1', Buffer.from('\ufeffé'), 'é'],
    ['utf-8', Buffer.from([0xff, 0xfe, 0xe9, 0]), 'é'],
    ['binary', Buffer.from('é'), 'é'],
  ])('in %s is read as that', async (charset, body, text) => {
    whole([`Content-Type: text/plain; charset=${charset}`], body);
    expect(await request()).toMatchObject({ body: text });
  });

  it.each([
    ['text/plain', Buffer.from([0x61, 0xff])],
    ['text/plain; charset=utf-8', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
    ['application/json', Buffer.from([0x22, 0xff, 0x22])],
    ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff])],
    ['text/plain; charset=utf-16le', Buffer.from([0, 0xd8])],
  ])('of type %s that is none in its charset is kept byte for byte', async (type, bytes) => {
    whole([`Content-Type: ${type}`], bytes);
    const body = bytes.toString('base64');
    expect(await request()).toMatchObject({ status: 200, body, bodyEncoding: 'base64' });
  });

  it('without bytes that mean nothing says no encoding', async () => {
    whole(['Content-Type: application/octet-stream'], 'a');
    expect(await request()).toEqual({ status: 200, headers: expect.anything(), body: 'a' });
  });

  it('in a charset that is not known fails for good', async () => {
    whole(['Content-Type: text/plain; charset=martian'], 'a');
    expect(await request()).toMatchObject({ name: 'TerminalError', code: 'UNREADABLE_BODY' });
  });

  it.each([
    'application/json',
    'application/problem+json; charset=utf-8',
    'text/json',
    'model/gltf+json',
    'application/json, application/json',
  ])('of type %s is JSON', async (type) => {
    whole([`Content-Type: ${type}`], '\ufeff{"a":1}');
    expect(await request()).toMatchObject({ body: { a: 1 } });
  });

  it.each([
    ['application/json-seq', '{}'],
    ['application/json', ''],
    ['application/jsonp', '{}'],
  ])('of type %s may be a text', async (type, body) => {
    whole([`Content-Type: ${type}`], body);
    expect(await request()).toMatchObject({ body: expect.any(String) });
  });

  it('in UTF-16 can be JSON', async () => {
    whole(['Content-Type: application/json; charset=utf-16'], Buffer.from('{"a":"é"}', 'utf16le'));
    expect(await request()).toMatchObject({ body: { a: 'é' } });
  });
});

describe('the end of a body', () => {
  it.each([
    ['GET', '204 No Content'],
    ['HEAD', '200 OK'],
    ['GET', '304 Not Modified'],
  ])('is empty after %s with %s, whatever its headers say', async (method, status) => {
    answering([JSON_HEAD, 'Content-Encoding: gzip', 'Content-Length: 500'], '', status);
    const expected = Number(status.slice(0, 3));
    expect(await request({ method, expect: [expected] })).toMatchObject({ body: '' });
  });

  it('in chunks with a trailer is whole', async () => {
    const body = '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n';
    answering(['Transfer-Encoding: chunked', 'Trailer: X-Sum'], body);
    expect(await request()).toMatchObject({ body: 'abcde' });
  });

  it.each([
    ['its length', ['Content-Length: 9'], 'abc'],
    ['its last chunk', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'],
  ])('that ends before %s may be tried again', async (_name, head, body) => {
    answering(head, body);
    expect(await request()).toMatchObject({
      name: 'RetryableError',
      message: 'the connection was closed after 3 bytes of the body',
      noEffect: false,
    });
  });

  it('that is longer than its length is cut there', async () => {
    answering(['Content-Length: 3'], 'abcdef');
    expect(await request()).toMatchObject({ body: 'abc' });
  });

  it('of a status that is not wanted is not waited for', async () => {
    ends = false;
    answering(['Content-Length: 99999'], 'a', '503 Service Unavailable');
    expect(await request()).toMatchObject({ name: 'RetryableError', code: 'HTTP_503' });
    answering(['Content-Length: 9', 'Content-Encoding: gzip'], 'a', '404 Not Found');
    expect(await request()).toMatchObject({ name: 'TerminalError', code: 'HTTP_404' });
  });

  it('that is sent is a text, JSON, or a form where its header says so', async () => {
    whole([], 'ok');
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = { a: 'é &', b: [1, true], c: null };
    await request({ method: 'POST', headers, body });
    expect(received).toMatch(/\r\n\r\na=%C3%A9\+%26&b=1&b=true$/);
    received = '';
    await request({ method: 'DELETE', body: ['x'] });
    expect(received).toMatch(/content-type: application\/json\r\n[^]*\r\n\r\n\["x"\]$/i);
    received = '';
    await request({ method: 'POST', body: null });
    expect(received).toMatch(/content-length: 0\r\n[^]*\r\n$/i);
    const wrong = { code: 'INVALID_PARAMETERS', noEffect: true };
    expect(await request({ headers, body: { a: { b: 1 } } })).toMatchObject(wrong);
  });

  it('comes with each of several headers of one name', async () => {
    whole(['Set-Cookie: a=1', 'Set-Cookie: b=2', 'X-A: 1', 'X-A: 2'], 'ok');
    expect(await request()).toMatchObject({ headers: { 'set-cookie': 'a=1, b=2', 'x-a': '1, 2' } });
  });
});

describe('a request had no effect', () => {
  const nobody = new CheckedResolver(exceptionsOf([]));
  const lost = new CheckedResolver(exceptionsOf([]), () => Promise.reject(new Error('no name')));

  const REFUSED = { code: 'ADDRESS_REFUSED' };
  const INVALID = { code: 'INVALID_PARAMETERS' };
  const FAILED = { code: undefined };

  async function expectNoEffect(asked: readonly [object, CheckedResolver], failure: object) {
    answering([], '', '400 Bad Request');
    const outcome = await request(...asked);
    const message: unknown = expect.stringMatching(/\w/);
    expect(outcome).toMatchObject({ ...failure, noEffect: true, message });
  }

  it.each([
    ['whose address is refused', [{}, nobody], REFUSED],
    ['of a wrong URL', [{ url: 'nonsense' }, allowed], INVALID],
    ['of a wrong header', [{ headers: { a: '\n' } }, allowed], INVALID],
    ['of a wrong time', [{ timeout: 'soon' }, allowed], INVALID],
    ['whose host has no address', [{ url: 'http://a.example/' }, lost], FAILED],
    ['that nobody listens to', [{ url: 'http://127.0.0.1:9/' }, allowed], FAILED],
  ] as const)('%s', (_name, asked, failure) => expectNoEffect(asked, failure));

  it('whose server does not speak TLS', async () => {
    await expectNoEffect([{ url: origin.replace('http:', 'https:') }, allowed], FAILED);
  });

  it('only if none of its redirects was followed', async () => {
    answering(['Location: http://10.0.0.1/'], '', '302 Found');
    expect(await request()).toMatchObject({ code: 'ADDRESS_REFUSED', noEffect: false });
  });

  it('unless it was sent and its answer never came', async () => {
    raw = Buffer.alloc(0);
    expect(await request()).toMatchObject({ name: 'RetryableError', noEffect: false });
  });
});
