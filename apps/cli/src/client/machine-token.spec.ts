import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findToken, LocalToken, openTokenFile } from '#access';
import { SystemClock } from '#machine';
import { EXIT } from '../exit.js';
import { type CliRun, run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';
import { isOfThisMachine } from './backstep-url.js';

/** Of secrets so far. */
let count = 0;

const SESSION = { name: 'alice', role: 'admin' };

function tokenOf(text: string): LocalToken {
  const newSecret = (): string => `${(count += 1)}`.padStart(43, 'n');
  return new LocalToken({ token: text, userName: 'alice', clock: new SystemClock(), newSecret });
}

describe.each(['host', 'socket'] as const)('the token of this machine, with a %s', (on) => {
  let folder: string;
  let server: StubServer;
  let token: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-cli-token-'));
    token = openTokenFile(path.join(folder, '.backstep'), 'a'.repeat(43));
    server = await StubServer.start(on);
    asks(token);
  });

  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const endOfServer = (): string =>
    on === 'host' ? `127.0.0.1 ${new URL(server.url).port}` : 'socket';

  /** Answers as a Backstep that wants a token, and knows one. */
  function asks(known: string, end = endOfServer()): void {
    const local = tokenOf(known);
    server.answer = ({ body, headers, method, path: target }, response) => {
      const hash = createHash('sha256').update(body).digest('base64');
      const digest = body === '' ? '' : `sha-256=:${hash}:`;
      const [, signature = ''] = (headers.authorization ?? '').split('Backstep ');
      if (local.findSigned(signature, { digest, end, method, target }) !== null) {
        return json(response, target === '/v1/session' ? SESSION : { items: [] });
      }
      const challenge = String(headers['x-backstep-challenge']);
      const greeting = local.greet({ challenge, end });
      response.setHeader('x-backstep-nonce', greeting?.nonce ?? '');
      response.setHeader('x-backstep-proof', greeting?.proof ?? '');
      response.setHeader('content-type', 'application/problem+json');
      response.statusCode = 401;
      response.end(JSON.stringify({ code: 'UNAUTHENTICATED', status: 401, title: 'Who?' }));
    };
  }

  const ask = (env = {}, cwd = folder): Promise<CliRun> =>
    run(['lock', 'list', '--url', server.url], { cwd, env });
  const shown = (): readonly (string | undefined)[] =>
    server.seen.map(({ headers }) => headers.authorization);

  it('is found by itself, and signs for a server that has shown that it knows it', async () => {
    expect((await ask()).code).toBe(EXIT.done);
    expect(shown()).toEqual([undefined, expect.stringMatching(/^Backstep /)]);
    expect(JSON.stringify(server.seen)).not.toContain(token);
  });

  it('signs what a request says, which no server gets before it has shown to know it', async () => {
    const made = ['schedule', 'pause', 'nightly', '--reason', 'holidays', '--url', server.url];
    await run(made, { cwd: folder });
    expect(server.seen.map(({ body }) => body !== '')).toEqual([false, true]);
    expect(server.seen[1]?.headers['content-digest']).toMatch(/^sha-256=:/);
    asks(token.replace('a', 'b'));
    await run(made, { cwd: folder });
    expect(server.seen[2]).toMatchObject({ path: '/v1/session', body: '' });
    expect(server.seen).toHaveLength(3);
  });

  it('signs for a process that has started again meanwhile', async () => {
    const first = server.answer;
    server.answer = (request, response) => {
      asks(token);
      first(request, response);
    };
    expect((await ask()).code).toBe(EXIT.done);
    expect(server.seen).toHaveLength(3);
  });

  it('is found in the data folder that a process started here would have', async () => {
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'backstep-elsewhere-'));
    try {
      const byData = { BACKSTEP_DATA: path.join(folder, '.backstep') };
      expect((await ask(byData, elsewhere)).code).toBe(EXIT.done);
      // Whether the process may send this password is its own business: nothing is sent to look.
      const beside = { ...byData, BACKSTEP_STORE: 'mongodb://me:pw@db/backstep' };
      expect((await ask(beside, elsewhere)).code).toBe(EXIT.done);
      const byStore = { BACKSTEP_STORE: `sqlite:${path.join(folder, '.backstep/backstep.db')}` };
      expect((await ask(byStore, elsewhere)).code).toBe(EXIT.done);
      const nowhere = await ask({}, elsewhere);
      expect(nowhere).toMatchObject({ code: EXIT.endedOtherwise, stdout: '' });
      expect(nowhere.stderr).toContain(`${path.join(elsewhere, '.backstep')} has none that this`);
      expect(nowhere.stderr).toContain('BACKSTEP_TOKEN_FILE');
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('does not sign for a server that does not know it, or knows it elsewhere', async () => {
    for (const [known, end] of [
      [token.replace('a', 'b'), undefined],
      [token, '127.0.0.1 1'],
      [token, endOfServer().replace('127.0.0.1', '::1').replace('socket', '127.0.0.1 1')],
    ] as const) {
      asks(known, end);
      const { code, stderr } = await ask();
      expect(code).toBe(EXIT.endedOtherwise);
      expect(stderr).toContain(`what listens at ${server.url} does not know the token in`);
    }
    expect(shown()).toEqual([undefined, undefined, undefined]);
  });

  it('does not sign for a server that only refuses, and is not looked for then', async () => {
    server.answer = (_request, response) => {
      response.setHeader('content-type', 'application/problem+json');
      response.statusCode = 401;
      response.end(JSON.stringify({ code: 'UNAUTHENTICATED', status: 401, title: 'Who?' }));
    };
    const { code, stderr } = await ask();
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('Who? (UNAUTHENTICATED)');
    expect(shown()).toEqual([undefined]);
  });

  it('is not shown at an address of other machines, also where this one answers there', async () => {
    if (on === 'socket') return;
    const argv = ['lock', 'list', '--url', server.url.replace('127.0.0.1', '0.0.0.0')];
    expect((await run(argv, { cwd: folder })).code).toBe(EXIT.usage);
    expect(shown()).toEqual([undefined]);
    expect(server.seen[0]?.headers['x-backstep-challenge']).toBeUndefined();
  });

  it('gives way to the key that somebody names', async () => {
    const { code } = await ask({ BACKSTEP_TOKEN: 'bsk_mine' });
    expect(code).toBe(EXIT.usage);
    expect(shown()).toEqual(['Bearer bsk_mine']);
    expect(server.seen[0]?.headers['x-backstep-challenge']).toBeUndefined();
  });

  it('makes a link that signs a browser in, for a server that has shown to know it', async () => {
    const link = (): Promise<CliRun> => run(['console', '--url', server.url], { cwd: folder });
    const earlier = tokenOf(token);
    const made = await link();
    if (on === 'socket') {
      expect(made).toMatchObject({ code: EXIT.usage, stdout: '' });
      return expect(made.stderr).toContain('a browser reaches no socket');
    }
    expect(made.code).toBe(EXIT.done);
    const [url, ticket = ''] = made.stdout.trim().split('#ticket=');
    expect(url).toBe(`${server.url}/console/login`);
    expect(earlier.find(ticket)?.name).toBe('alice');
    asks(token.replace('a', 'b'));
    expect(await link()).toMatchObject({ code: EXIT.endedOtherwise, stdout: '' });
    server.answer = (_request, response) => json(response, SESSION);
    const open = await link();
    expect(open).toMatchObject({ code: EXIT.conflict, stdout: '' });
    expect(open.stderr).toContain(`sign-in by a link is off at ${server.url}`);
  });

  it('makes the link with the address of the server, not with a name for it', async () => {
    if (on === 'socket') return;
    const url = server.url.replace('127.0.0.1', 'localhost');
    const made = await run(['console', '--url', url], { cwd: folder });
    expect(made.stdout).toMatch(new RegExp(`^${server.url}/console/login#ticket=`));
  });

  it('stays as it is', async () => {
    await ask();
    expect(findToken(path.join(folder, '.backstep'))).toBe(token);
  });
});

it.each([
  ['http://127.0.0.1:7070', true],
  ['http://127.9.9.9/x', true],
  ['https://localhost', true],
  ['http://[::1]:7070', true],
  ['unix:/tmp/b.sock', true],
  ['http://127.0.0.1.example:7070', false],
  ['http://localhost.example', false],
  ['http://localhost@example.com', false],
  ['http://10.0.0.5:7070', false],
  ['https://backstep.example', false],
  ['http://0.0.0.0:7070', false],
  ['http://[::2]:7070', false],
])('%s is of this machine: %s', (url, expected) => {
  expect(isOfThisMachine(url)).toBe(expected);
});
