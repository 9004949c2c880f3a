import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { RetryableError } from '#executor';
import { commandContext, ManualClock } from '#testing';
import { CheckedResolver, exceptionsOf, HttpClient, mayReach, WrongException } from '#outbound';
import type { Exchange } from '#outbound';
import { RequestExecutor } from './request.executor.js';
import type { RequestParameters } from './request.parameters.js';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../test/fixtures/wrong-json.js';

interface Asked {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const asked: Asked[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let origin = '';
const clock = new ManualClock(Date.UTC(2030, 0, 31, 8, 0, 0));

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { headers, method, url } = request;
    asked.push({ method, path: url, headers, body: String(Buffer.concat(chunks)) });
    answer(request, response);
  });
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => void asked.splice(0));

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Surroundings {
  readonly allow?: readonly string[];
  readonly addresses?: readonly string[];
}

function executor({ allow = ['127.0.0.1'], addresses = [] }: Surroundings = {}): RequestExecutor {
  const resolver = new CheckedResolver(exceptionsOf(allow), () => Promise.resolve(addresses));
  return new RequestExecutor(new HttpClient({ bodyMax: 1_000, resolver }), clock);
}

const context = () => commandContext({ taskId: 't-1', module: 'http', command: 'request' });

function request(parameters: object, surroundings?: Surroundings): Promise<unknown> {
  return executor(surroundings).request(parameters as RequestParameters, context());
}

async function outcomeOf(parameters: object, surroundings?: Surroundings): Promise<unknown> {
  try {
    return await request(parameters, surroundings);
  } catch (error) {
    const { afterMs, code, message, name } = error as Omit<RetryableError, 'name'> & Error;
    const isTimed = afterMs !== undefined && { afterMs };
    return { terminal: name === 'TerminalError', error: code, message, ...isTimed };
  }
}

function answering(status: number, headers: Record<string, string> = {}, body = ''): void {
  answer = (_request, response) => void response.writeHead(status, headers).end(body);
}

describe('a request', () => {
  it('brings status, headers and body back, JSON as its value', async () => {
    answering(200, { 'content-type': 'application/problem+json', 'x-a': 'b' }, '{"id": 7}');
    expect(await request({ method: 'GET', url: `${origin}/a?b=c` })).toMatchObject({
      status: 200,
      headers: { 'x-a': 'b' },
      body: { id: 7 },
    });
    answering(204);
    expect(await request({ method: 'DELETE', url: origin })).toMatchObject({ body: '' });
    answering(200, { 'content-type': 'application/json' }, '{');
    expect(await request({ method: 'GET', url: origin })).toMatchObject({ body: '{' });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /a?b=c',
      'DELETE /',
      'GET /',
    ]);
  });

  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])(
    'leaves $text as it was answered',
    async ({ text }) => {
      answering(200, { 'content-type': 'application/json' }, text);
      expect(await request({ method: 'GET', url: origin })).toMatchObject({ body: text });
    },
  );

  it('is sent with its key, its trace and its own headers', async () => {
    answering(200);
    const headers = { Authorization: 'Bearer x', 'X-Own': 'y' };
    await request({ method: 'POST', url: origin, headers, body: { a: [1] } });
    await request({ method: 'PUT', url: origin, body: 'plain' });
    const { idempotencyKey } = context();
    expect(asked).toMatchObject([
      {
        body: '{"a":[1]}',
        headers: {
          authorization: 'Bearer x',
          'x-own': 'y',
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
          traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
        },
      },
      { body: 'plain' },
    ]);
    expect(asked[1]?.headers['content-type']).toBeUndefined();
    expect(asked[1]?.headers['traceparent']).toBe(asked[0]?.headers['traceparent']);
  });

  it.each([
    [404, { terminal: true, error: 'HTTP_404' }],
    [409, { terminal: true, error: 'HTTP_409' }],
    [408, { terminal: false, error: 'HTTP_408' }],
    [425, { terminal: false, error: 'HTTP_425' }],
    [429, { terminal: false, error: 'HTTP_429' }],
    [503, { terminal: false, error: 'HTTP_503' }],
  ])('that is answered by %d fails by it', async (status, outcome) => {
    answering(status);
    const failed = await outcomeOf({ method: 'GET', url: origin });
    expect(failed).toMatchObject(outcome);
    expect(failed).not.toHaveProperty('afterMs');
  });

  it.each([
    ['7', 7_000],
    ['Thu, 31 Jan 2030 08:01:00 GMT', 60_000],
    ['Thu, 31 Jan 2030 07:00:00 GMT', 0],
    ['99999999', 86_400_000],
  ])('that is to wait for %s waits', async (value, afterMs) => {
    answering(503, { 'retry-after': value });
    expect(await outcomeOf({ method: 'GET', url: origin })).toMatchObject({ afterMs });
  });

  it('succeeds with the statuses that are expected, and no others', async () => {
    answering(404);
    const expecting = { method: 'GET', url: origin, expect: [404, 302] };
    expect(await request(expecting)).toMatchObject({ status: 404 });
    answering(302, { location: '/elsewhere' });
    expect(await request(expecting)).toMatchObject({ status: 302 });
    answering(200);
    expect(await outcomeOf(expecting)).toMatchObject({ error: 'HTTP_200' });
  });

  it('is given up after its time', async () => {
    const arrived = new Promise<void>((resolve) => {
      answer = () => resolve();
    });
    const outcome = outcomeOf({ method: 'GET', url: origin, timeout: '30s' });
    await arrived;
    await clock.advance(30_001);
    expect(await outcome).toMatchObject({ terminal: false, error: 'TIMED_OUT' });
  });

  it('reads no more of a body than a step may give back', async () => {
    answering(200, {}, 'x'.repeat(1_000));
    expect(await request({ method: 'GET', url: origin })).toMatchObject({ status: 200 });
    answer = (_request, response) => {
      response.on('error', () => undefined);
      response.write('x'.repeat(1_001));
    };
    const outcome = await outcomeOf({ method: 'GET', url: origin });
    expect(outcome).toMatchObject({ terminal: true, error: 'OUTPUT_TOO_LARGE' });
  });

  it.each([
    ['a URL of another kind', { url: 'file:///etc/passwd' }],
    ['a URL with a user', { url: 'http://user:pass@host/' }],
    ['no URL', { url: 'nonsense' }],
    ['a header of the connection', { headers: { Host: 'a' } }],
    ['a header with a line break', { headers: { a: 'b\r\nc: d' } }],
    ['a header that is no text', { headers: { a: 1 } }],
    ['no duration', { timeout: 'soon' }],
  ])('is refused for good with %s', async (_name, wrong) => {
    const outcome = await outcomeOf({ method: 'GET', url: origin, ...wrong });
    expect(outcome).toMatchObject({ terminal: true, error: 'INVALID_PARAMETERS' });
    expect(asked).toEqual([]);
  });

  it('may be tried again where nobody listens', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const outcome = await outcomeOf({ method: 'GET', url: `http://127.0.0.1:${port}` });
    expect(outcome).toMatchObject({ terminal: false });
  });
});

describe('a redirect', () => {
  const following = (first: number, location: string) => {
    answer = ({ url }, response) => {
      if (url === '/first') response.writeHead(first, { location }).end();
      else response.writeHead(200).end('there');
    };
    return { method: 'POST', url: `${origin}/first`, body: { a: 1 } };
  };

  it.each([
    [303, 'GET', ''],
    [302, 'GET', ''],
    [307, 'POST', '{"a":1}'],
  ])('by %d is followed with %s', async (status, method, body) => {
    expect(await request(following(status, '/next'))).toMatchObject({ body: 'there' });
    expect(asked[1]).toMatchObject({ method, path: '/next', body });
    expect('content-type' in asked[1]!.headers).toBe(body !== '');
  });

  it.each([301, 302, 303, 307, 308])(
    'by %d to another origin takes nothing of the flow along',
    async (status) => {
      const there = new URL(origin);
      there.hostname = 'other.example';
      const names = ['authorization', 'x-auth', 'x-session-id', 'api-password', 'x-signature'];
      const own = { 'idempotency-key': 'mine', accept: 'text/plain', 'content-type': 'text/plain' };
      const headers = { ...Object.fromEntries(names.map((name) => [name, 'secret'])), ...own };
      const sent = { ...following(status, `${there.href}next`), headers };
      await request(sent, { allow: ['127.0.0.1'], addresses: ['127.0.0.1'] });
      expect(asked[0]).toMatchObject({ body: '{"a":1}', headers });
      expect(asked[1]).toMatchObject({ body: '', headers: { accept: '*/*', host: there.host } });
      expect(JSON.stringify(asked[1])).not.toMatch(/secret|mine|text.plain/);
      expect(asked[1]?.headers['idempotency-key']).toBeDefined();
      expect(asked[1]?.headers['transfer-encoding']).toBeUndefined();
    },
  );

  it('back to the first origin does not bring along again what was left behind', async () => {
    const there = new URL(origin);
    there.hostname = 'other.example';
    answer = ({ url }, response) => {
      const next = { '/first': `${there.href}second`, '/second': `${origin}/third` }[url!];
      if (next === undefined) response.writeHead(200).end('there');
      else response.writeHead(307, { location: next }).end();
    };
    const headers = { authorization: 'secret' };
    const sent = { method: 'POST', url: `${origin}/first`, headers, body: { a: 1 } };
    await request(sent, { allow: ['127.0.0.1'], addresses: ['127.0.0.1'] });
    expect(asked[2]).toMatchObject({ path: '/third', body: '' });
    expect(asked[2]?.headers.authorization).toBeUndefined();
  });

  it.each(['http://10.0.0.1/', 'http://[::ffff:a00:1]/', 'http://0x0a000001/'])(
    'to %s is refused',
    async (location) => {
      const outcome = await outcomeOf(following(302, location));
      expect(outcome).toMatchObject({ terminal: true, error: 'ADDRESS_REFUSED' });
      expect(asked).toHaveLength(1);
    },
  );

  it('without an end is refused', async () => {
    answering(302, { location: '/again' });
    const outcome = await outcomeOf({ method: 'GET', url: origin });
    expect(outcome).toMatchObject({ terminal: true, message: 'more than 5 redirects' });
  });
});

describe('an address', () => {
  const NOBODY = exceptionsOf([]);

  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254'],
    ...[
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', 'fe80::1', 'fc00::1'],
    ...['fd00:ec2::254', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1'],
    ...['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110', '2002:a83f:8110::1'],
    ...['100.100.100.200', '192.0.0.192', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'],
    ...['64:ff9b:1::a9fe:a9fe', '::a9fe:a9fe', '2001:0:a9fe:a9fe::1'],
    ...['name.example', ''],
  ])('%s is refused', (address) => {
    expect(mayReach('host', address, NOBODY)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s may be reached',
    (address) => {
      expect(mayReach('host', address, NOBODY)).toBe(true);
    },
  );

  it('may be reached where its network or the name of its host is listed', () => {
    const some = exceptionsOf(['Intern.example', '10.0.0.0/8', 'fd00::/8', '192.168.0.7']);
    expect(mayReach('intern.EXAMPLE', '127.0.0.1', some)).toBe(true);
    expect(mayReach('other.example', '10.9.9.9', some)).toBe(true);
    expect(mayReach('other.example', 'fd12::1', some)).toBe(true);
    expect(mayReach('other.example', '192.168.0.7', some)).toBe(true);
    expect(mayReach('other.example', '192.168.0.8', some)).toBe(false);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/8/8', 'a.example/8'])(
    '%s lists nothing',
    (entry) => {
      expect(() => exceptionsOf([entry])).toThrow(WrongException);
    },
  );

  it.each([
    ['a name of this machine', ['127.0.0.1']],
    ['a name with one address that is public', ['8.8.8.8', '10.0.0.1']],
    ['a name of nothing', []],
  ])('of %s is never connected to', async (_name, addresses) => {
    const { port } = new URL(origin);
    const url = `http://inner.example:${port}/`;
    const outcome = await outcomeOf({ method: 'GET', url }, { allow: [], addresses });
    expect(outcome).toMatchObject({ terminal: true, error: 'ADDRESS_REFUSED' });
    expect(asked).toEqual([]);
  });

  it('is the very one that was checked, whatever the name would lead to', async () => {
    answering(200, {}, 'here');
    const { port } = new URL(origin);
    const url = `http://nowhere.invalid:${port}/`;
    const surroundings = { allow: ['127.0.0.0/8'], addresses: ['127.0.0.1'] };
    expect(await request({ method: 'GET', url }, surroundings)).toMatchObject({ body: 'here' });
    expect(asked[0]?.headers.host).toBe(`nowhere.invalid:${port}`);
  });
});

describe('a connection', () => {
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    'public.example': ['8.8.8.8', '2606:4700::1111'],
    'inner.example': ['10.0.0.7'],
    'mixed.example': ['8.8.8.8', '192.168.0.7'],
    'listed.example': ['10.1.0.7'],
  };

  /** Sends with a resolver and a connector of the test's own: nothing leaves this process. */
  async function reached(url: string, location?: string): Promise<readonly unknown[]> {
    const opened: unknown[] = [];
    const exchange: Exchange = ({ url: { hostname } }, { addresses }) => {
      opened.push([hostname, ...addresses]);
      const isFirst = opened.length === 1 && location !== undefined;
      const headers = isFirst ? { location } : ({} as Record<string, string>);
      return Promise.resolve({ status: isFirst ? 307 : 204, headers, body: Buffer.alloc(0) });
    };
    const resolve = (host: string) => Promise.resolve(NAMES[host] ?? []);
    const resolver = new CheckedResolver(exceptionsOf(['10.1.0.0/16']), resolve);
    const client = new HttpClient({ bodyMax: 1_000, resolver, exchange });
    const parameters = { method: 'GET', url } as RequestParameters;
    const sent = new RequestExecutor(client, clock).request(parameters, context());
    const refusal: unknown[] = [];
    await sent.catch(({ code }: { readonly code: string }) => refusal.push(code));
    return [...opened, ...refusal];
  }

  it.each([
    ['https://public.example/', [['public.example', '8.8.8.8', '2606:4700::1111']]],
    ['http://listed.example/', [['listed.example', '10.1.0.7']]],
    ['http://8.8.4.4/', [['8.8.4.4', '8.8.4.4']]],
  ])('is opened to what %s was found to be', async (url, opened) => {
    expect(await reached(url)).toEqual(opened);
  });

  it.each([
    ...['http://inner.example/', 'https://inner.example/', 'http://mixed.example/'],
    ...['http://unknown.example/', 'http://127.0.0.1/', 'http://[::1]/', 'http://2130706433/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/', 'http://10.0.0.7/'],
  ])('is never opened for %s', async (url) => {
    expect(await reached(url)).toEqual(['ADDRESS_REFUSED']);
  });

  it.each(['http://inner.example/', 'http://mixed.example/', 'http://169.254.169.254/'])(
    'is not opened for a redirect to %s',
    async (location) => {
      expect(await reached('https://public.example/', location)).toEqual([
        ['public.example', '8.8.8.8', '2606:4700::1111'],
        'ADDRESS_REFUSED',
      ]);
    },
  );
});
