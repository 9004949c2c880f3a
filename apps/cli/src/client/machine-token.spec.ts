import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findToken, LocalToken, openTokenFile } from '#access';
import { EXIT } from '../exit.js';
import { type CliRun, run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';
import { isOfThisMachine } from './backstep-url.js';

const SESSION = { name: 'alice', role: 'admin' };

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

  const portOfServer = (): number => Number(on === 'host' ? new URL(server.url).port : 0);

  /** Answers as a Backstep that wants a token, and knows one. */
  function asks(known: string, port = portOfServer()): void {
    const clock = { now: () => 0 };
    const local = new LocalToken({ token: known, userName: 'alice', clock, newSecret: () => '' });
    server.answer = ({ headers, path: asked }, response) => {
      if (headers.authorization === `Bearer ${known}`) {
        return json(response, asked === '/v1/session' ? SESSION : { items: [] });
      }
      const challenge = String(headers['x-backstep-challenge']);
      const proof = local.prove({ challenge, port });
      if (proof !== null) response.setHeader('x-backstep-proof', proof);
      response.setHeader('content-type', 'application/problem+json');
      response.statusCode = 401;
      response.end(JSON.stringify({ code: 'UNAUTHENTICATED', status: 401, title: 'Who?' }));
    };
  }

  const ask = (env = {}, cwd = folder): Promise<CliRun> =>
    run(['lock', 'list', '--url', server.url], { cwd, env });
  const shown = (): readonly (string | undefined)[] =>
    server.seen.map(({ headers }) => headers.authorization);

  it('is found by itself, and shown to who has shown to know it', async () => {
    expect((await ask()).code).toBe(EXIT.done);
    expect(shown()).toEqual([undefined, `Bearer ${token}`]);
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

  it('is not shown to who does not know it, or is asked for at another port', async () => {
    for (const [known, port] of [
      [token.replace('a', 'b'), undefined],
      [token, portOfServer() + 1],
    ] as const) {
      asks(known, port);
      const { code, stderr } = await ask();
      expect(code).toBe(EXIT.endedOtherwise);
      expect(stderr).toContain(`what listens at ${server.url} does not know the token in`);
    }
    expect(shown()).toEqual([undefined, undefined]);
  });

  it('is not shown to who only refuses, and is not looked for then', async () => {
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
    const argv = ['lock', 'list', '--url', `http://0.0.0.0:${portOfServer()}`];
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
    const made = await link();
    if (on === 'socket') {
      expect(made).toMatchObject({ code: EXIT.usage, stdout: '' });
      return expect(made.stderr).toContain('a browser reaches no socket');
    }
    expect(made.code).toBe(EXIT.done);
    const [url, ticket = ''] = made.stdout.trim().split('#ticket=');
    expect(url).toBe(`${server.url}/console/login`);
    const clock = { now: () => 0 };
    const local = new LocalToken({ token, userName: 'alice', clock, newSecret: () => '' });
    clock.now = () => Number(ticket.split(/[_.]/)[1]);
    expect(local.find(ticket)?.name).toBe('alice');
    asks(token.replace('a', 'b'));
    expect(await link()).toMatchObject({ code: EXIT.endedOtherwise, stdout: '' });
    server.answer = (_request, response) => json(response, SESSION);
    const open = await link();
    expect(open).toMatchObject({ code: EXIT.conflict, stdout: '' });
    expect(open.stderr).toContain(`sign-in by a link is off at ${server.url}`);
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
