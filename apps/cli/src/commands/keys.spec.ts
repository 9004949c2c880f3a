import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KEY as KEYS } from '#ports';
import { openSqliteStore } from '#store-sqlite';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const KEY = `bsk_0123456789abcdef_${'x'.repeat(43)}`;

let server: StubServer;
let cwd: string;
beforeEach(async () => {
  server = await StubServer.start();
  cwd = await mkdtemp(path.join(tmpdir(), 'backstep-keys-'));
});
afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

describe('the key of a command', () => {
  it.each(['BACKSTEP_TOKEN', 'BACKSTEP_TOKEN_FILE'])('comes from %s', async (variable) => {
    await writeFile(path.join(cwd, 'token'), `${KEY}\n`);
    server.answer = (_request, response) => json(response, { items: [] });
    const env = { [variable]: variable === 'BACKSTEP_TOKEN' ? KEY : 'token' };
    await run(['key', 'list', '--url', server.url], { cwd, env });
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it.each([
    [{ BACKSTEP_TOKEN: KEY, BACKSTEP_TOKEN_FILE: 'token' }, 'is set twice'],
    [{ BACKSTEP_TOKEN_FILE: 'nowhere' }, 'cannot be read: ENOENT'],
    [{ BACKSTEP_TOKEN: 'two words' }, 'is neither an API key'],
  ])('is refused where it cannot be one: %j', async (env, words) => {
    const { code, stderr } = await run(['key', 'list', '--url', server.url], { cwd, env });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(words);
  });

  it('is asked for where it is missing', async () => {
    server.answer = (_, response) => problem(response, { status: 401, code: 'UNAUTHENTICATED' });
    const { code, stderr } = await run(['task', 'list', '--url', server.url]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('Set BACKSTEP_TOKEN');
  });
});

describe('the certificate of a command', () => {
  it.each([
    [{ BACKSTEP_CLIENT_CERT: 'a.pem' }, 'BACKSTEP_CLIENT_KEY must be set'],
    [{ BACKSTEP_CLIENT_KEY: 'a.pem' }, 'BACKSTEP_CLIENT_CERT must be set'],
    [{ BACKSTEP_CLIENT_CERT: 'nowhere', BACKSTEP_CLIENT_KEY: 'a.pem' }, 'cannot be read: ENOENT'],
    [{ BACKSTEP_CLIENT_CERT: 'a.pem', BACKSTEP_CLIENT_KEY: 'a.pem' }, 'cannot be used: '],
  ])('is refused where it cannot be one: %j', async (env, words) => {
    await writeFile(path.join(cwd, 'a.pem'), 'no certificate');
    const { code, stderr } = await run(['key', 'list', '--url', server.url], { cwd, env });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(words);
  });
});

describe('key create', () => {
  it('sends what the key may do, once, and prints the key', async () => {
    server.answer = (_request, response) => json(response, { id: '0123', key: KEY }, 201);
    const limits = ['--flows', 'create-*,delete-*', '--label', 'team=a', '--expires', '90d'];
    const argv = ['key', 'create', 'ci', '--role', 'starter', ...limits, '--url', server.url];
    const { code, stderr, stdout } = await run(argv);
    expect([code, stdout]).toEqual([EXIT.done, `${KEY}\n`]);
    expect(stderr).toContain(`backstep key revoke 0123 --url ${server.url}\n`);
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      name: 'ci',
      role: 'starter',
      flows: 'create-*,delete-*',
      labels: { team: 'a' },
      expires: '90d',
    });
  });

  it('is not sent again once it may have been heard', async () => {
    server.answer = (_, response) => problem(response, { status: 503, code: 'STORE_UNAVAILABLE' });
    const { code } = await run(['key', 'create', 'ci', '--role', 'viewer', '--url', server.url]);
    expect(code).toBe(EXIT.unreachable);
    expect(server.seen.length).toBe(1);
  });

  it('--admin writes to the store that the settings name, without a process', async () => {
    const env = { BACKSTEP_STORE: 'sqlite:keys.db' };
    const { code, stderr, stdout } = await run(['key', 'create', 'root', '--admin'], { cwd, env });
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain(`in the store ${path.join(cwd, 'keys.db')}.`);
    const store = await openSqliteStore({ path: path.join(cwd, 'keys.db') });
    const keys = await store.records.list(KEYS, { limit: 100 });
    await store.close();
    expect(keys).toMatchObject([{ name: 'root', role: 'admin', id: stdout.slice(4, 20) }]);
    expect(JSON.stringify(keys)).not.toContain(stdout.trim().slice(-43));
  });

  it('--admin goes over HTTP with the key of an admin, unless a store is named', async () => {
    server.answer = (_request, response) => json(response, { id: '0123', key: KEY }, 201);
    const env = { BACKSTEP_STORE: 'sqlite:keys.db', BACKSTEP_TOKEN: KEY };
    const argv = ['key', 'create', 'root', '--admin', '--expires', '1d', '--url', server.url];
    const { code, stderr, stdout } = await run(argv, { cwd, env });
    expect([code, stdout]).toEqual([EXIT.done, `${KEY}\n`]);
    expect(stderr).not.toContain('--url has no effect');
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const order = { name: 'root', role: 'admin', expires: '1d' };
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual(order);
    const named = await run([...argv, '--store', 'sqlite:keys.db'], { cwd, env });
    expect(named.stderr).toContain(`in the store ${path.join(cwd, 'keys.db')}.`);
    expect(server.seen).toHaveLength(1);
  });

  it('--store writes a key of any role there, which nobody else has made', async () => {
    const limits = ['--role', 'operator', '--flows', 'pay-*', '--expires', '90d'];
    const named = ['--store', 'sqlite:keys.db', '--url', server.url];
    const { code, stderr, stdout } = await run(['key', 'create', 'ann', ...limits, ...named], {
      cwd,
    });
    expect([code, server.seen]).toEqual([EXIT.done, []]);
    expect(stderr).toContain('--url has no effect');
    const store = await openSqliteStore({ path: path.join(cwd, 'keys.db') });
    const keys = await store.records.list(KEYS, { limit: 100 });
    await store.close();
    expect(keys).toMatchObject([
      { name: 'ann', role: 'operator', flows: ['pay-*'], id: stdout.slice(4, 20) },
    ]);
    expect(keys[0]?.madeBy).toBeUndefined();
    expect(keys[0]?.expiresAt).toBeGreaterThan(keys[0]!.createdAt);
  });

  it.each([['--admin'], ['--role=viewer']])(
    'with %s says what to do where a process has the store open',
    async (right) => {
      const store = await openSqliteStore({ path: path.join(cwd, 'keys.db') });
      const argv = ['key', 'create', 'root', right, '--store', 'sqlite:keys.db'];
      const { code, stderr } = await run(argv, { cwd });
      await store.close();
      expect(code).toBe(EXIT.unreachable);
      expect(stderr).toContain('over HTTP with the key of an admin');
    },
  );

  it.each([
    [['key', 'create', 'ci'], 'say what the key may do'],
    [['key', 'create', 'ci', '--admin', '--role', 'viewer'], '--admin makes an admin'],
    [['key', 'create', 'backstep', '--admin'], 'part of Backstep'],
    [['key', 'create', 'ci', '--store', 'sqlite:keys.db'], 'say what the key may do'],
    [['key', 'create', 'ci', '--role', 'king', '--store', 'sqlite:keys.db'], 'role'],
    [['key', 'create', 'ci', '--role', 'viewer', '--store', 'nowhere'], 'BACKSTEP_STORE'],
    [['key', 'create', 'ci', '--admin', '--store', 'sqlite:/dev/null/keys.db'], 'not a folder'],
  ])('%j is refused', async (argv, words) => {
    const { code, stderr } = await run(argv, { cwd });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(words);
  });
});

describe('key revoke', () => {
  it.each(['0123456789abcdef', KEY])('takes %s', async (named) => {
    server.answer = (_request, response) => void response.writeHead(204).end();
    const { code } = await run(['key', 'revoke', named, '--url', server.url]);
    expect(code).toBe(EXIT.done);
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', path: '/v1/keys/0123456789abcdef' });
  });
});
