import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { Gateway } from '../gateway-spec.js';
import { ConsoleFiles } from './console-files.js';

const PAGE = '<!doctype html><title>console</title>';
const SCRIPT = 'export const a = 1;';

/** The address of every page, as the console itself has them. */
const APP = new URL('../../../console/src/shell/app.tsx', import.meta.url);
const ROUTES = [...readFileSync(APP, 'utf8').matchAll(/<Route path="([^"]+)"/g)];
const PAGES = ROUTES.map(([, page = '']) => page.replaceAll(/:\w+/g, 'x'));

let folder: string;
let gateway: Gateway;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-console-'));
  mkdirSync(path.join(folder, 'assets'));
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(path.join(folder, name), content);
  write('index.html', PAGE);
  write('assets/main-abc.js', SCRIPT);
  write('assets/main-abc.js.br', brotliCompressSync(SCRIPT));
  write('assets/main-abc.js.gz', gzipSync(SCRIPT));
  const console = ConsoleFiles.read(folder);
  gateway = await Gateway.open([], { ...(console !== null && { console }) });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

describe('the console', () => {
  it.each(['/console/', '/console/tasks', '/console/tasks/01a', '/console/flows/a'])(
    'is the same page at %s',
    async (url) => {
      const { body, headers, statusCode } = await gateway.ask({ url });
      expect([statusCode, body]).toEqual([200, PAGE]);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
    },
  );

  it.each(['/', '/console'])('is where %s leads', async (url) => {
    const { headers, statusCode } = await gateway.ask({ url });
    expect([statusCode, headers.location]).toEqual([302, '/console/']);
  });

  it('is asked for again by its tag, and kept', async () => {
    const url = '/console/tasks';
    const first = await gateway.ask({ url });
    const tag = String(first.headers.etag);
    const again = await gateway.ask({ url, headers: { 'if-none-match': `"x", W/${tag}` } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it.each([
    ['br', 'gzip, deflate, br', 'br'],
    ['gzip', 'gzip, br;q=0', 'gzip'],
    ['as it is', '', undefined],
  ])('sends a file %s', async (_how, accepted, encoding) => {
    const url = '/console/assets/main-abc.js';
    const answer = await gateway.ask({ url, headers: { 'accept-encoding': accepted } });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(answer.headers.vary).toContain('Accept-Encoding');
    if (encoding === 'br') {
      expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(SCRIPT);
    }
    if (encoding === undefined) expect(answer.body).toBe(SCRIPT);
  });

  it.each(['assets/gone.js', 'assets/../../secret', 'favicon.ico', 'assets/main-abc.js.br'])(
    'has no file %s',
    async (name) => {
      const answer = await gateway.ask({ url: `/console/${name}` });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  it('takes nothing but GET', async () => {
    const answer = await gateway.post('/console/tasks', {});
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });
});

it('a folder without a page is no console', () => {
  expect(ConsoleFiles.read(path.join(folder, 'assets'))).toBeNull();
});

describe('the console where keys are asked for', () => {
  let guarded: Gateway;
  let key: string;

  beforeAll(async () => {
    const console = ConsoleFiles.read(folder);
    guarded = await Gateway.open([], { asksForKeys: true, ...(console !== null && { console }) });
    const secret = { id: 'a'.repeat(16), secret: 's'.repeat(43) };
    const { clock, store } = guarded.world;
    const { record, text } = makeKey({ name: 'viewer', role: 'viewer' }, secret, clock.now());
    await store.keys.put(record, null);
    key = text;
  });
  afterAll(() => guarded.close());

  it('has pages', () => expect(PAGES.length).toBeGreaterThan(10));

  it.each([...PAGES, '/console/assets/main-abc.js'])(
    'gives %s to somebody without a key as to a viewer: it holds no data',
    async (page) => {
      const url = page === '/console' ? '/console/' : page;
      const stranger = await guarded.ask({ url });
      const viewer = await guarded.ask({ url, headers: { authorization: `Bearer ${key}` } });
      expect([stranger.statusCode, viewer.statusCode]).toEqual([200, 200]);
      expect(stranger.body).toBe(viewer.body);
      expect([PAGE, SCRIPT]).toContain(stranger.body);
    },
  );
});
