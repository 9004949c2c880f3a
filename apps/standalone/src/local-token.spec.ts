import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings, SettingsError } from '#settings';
import { standaloneProcess } from './standalone.process.js';

const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));
const CONSOLE = 'x-backstep-console';

async function start(folder: string, http = '127.0.0.1:0'): Promise<RunningProcess> {
  const store = `sqlite:${path.join(folder, 'backstep.db')}`;
  const flags = { store, flows, http, auth: 'token', log: 'silent', lab: 'on' };
  const settings = loadSettings({ mode: 'test', flags, cwd: folder });
  return startProcess(standaloneProcess, settings);
}

/** The members of answers that these tests look at. */
interface Said {
  readonly code: string;
  readonly taskId: string;
  readonly name: string;
  readonly proof: string;
  readonly items: readonly object[];
}

const said = async (answer: Response): Promise<Said> => (await answer.json()) as Said;
const newFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'backstep-token-'));
const tokenIn = async (folder: string): Promise<string> =>
  (await readFile(path.join(folder, 'token'), 'utf8')).trim();

const CHALLENGE = 'c'.repeat(43);

interface Greeting {
  readonly nonce: string;
  readonly proof: string;
}

describe('a process that asks for the token of its machine', () => {
  let folder: string;
  let running: RunningProcess;
  let token: string;

  beforeAll(async () => {
    folder = await newFolder();
    running = await start(folder);
    token = await tokenIn(folder);
  });

  afterAll(async () => {
    await running?.stop();
    await rm(folder, { recursive: true });
  });

  interface Asking {
    readonly method?: string;
    readonly bearer?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: object;
  }

  function ask(url: string, { bearer, body, headers, method = 'GET' }: Asking = {}) {
    return fetch(`${running.url}${url}`, {
      method,
      headers: {
        ...headers,
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  it('says so, and that it is ready, to everybody', async () => {
    const ready = await (await ask('/readyz')).json();
    expect(ready).toMatchObject({ status: 'ready', auth: 'token', notes: [] });
    expect((await ask('/livez')).status).toBe(200);
    expect((await ask('/console/')).status).not.toBe(401);
  });

  it.each(['/v1/tasks', '/v1/flows', '/metrics', '/docs', '/openapi.json', '/modules/lab/effects'])(
    'shows %s to whoever has the token alone',
    async (url) => {
      const refused = await ask(url);
      expect([refused.status, (await said(refused)).code]).toEqual([401, 'UNAUTHENTICATED']);
      const wrong = `bst_${'x'.repeat(43)}`;
      expect((await ask(url, { bearer: wrong })).status).toBe(401);
      expect((await ask(url, { bearer: token })).status).toBe(200);
    },
  );

  it('acts in the name of the user, whatever a request says of itself', async () => {
    const headers = { 'x-backstep-actor': 'somebody else' };
    const body = { flow: 'lab-wait', parameters: {} };
    const made = await ask('/v1/tasks', { method: 'POST', bearer: token, headers, body });
    const { taskId } = await said(made);
    const why = { body: { reason: 'r' } };
    const acted = { method: 'POST', bearer: token, headers, ...why };
    expect((await ask(`/v1/tasks/${taskId}:pause`, acted)).status).toBe(200);
    const events = await said(await ask(`/v1/tasks/${taskId}/events`, { bearer: token }));
    const { username } = userInfo();
    expect(events.items).toContainEqual(
      expect.objectContaining({ kind: 'pause_requested', actor: username }),
    );
    const audit = await said(await ask('/v1/audit?first=newest', { bearer: token }));
    expect(audit.items[0]).toMatchObject({ actor: username, keyId: `local#${username}` });
  });

  it('makes of a link a session in two halves, once', async () => {
    const ticket = running.context.localToken!.ticket();
    const signIn = () => ask('/v1/session', { method: 'POST', bearer: ticket });
    const answer = await signIn();
    const { name, proof } = await said(answer);
    expect([answer.status, name]).toEqual([200, userInfo().username]);
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    expect(answer.headers.get('set-cookie')).toContain('; HttpOnly; SameSite=Strict');
    expect(cookie).not.toContain(token);
    expect(cookie).not.toContain(proof);
    expect((await signIn()).status).toBe(401);
    const asked = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await ask('/v1/tasks', { headers })).status;
    expect(await asked({ cookie, [CONSOLE]: proof })).toBe(200);
    // Another port of this host is given the cookie, and a script reads the other half.
    expect(await asked({ cookie, [CONSOLE]: '1' })).toBe(401);
    expect(await asked({ cookie })).toBe(401);
    expect(await asked({ [CONSOLE]: proof })).toBe(401);
    expect(await asked({ authorization: `Bearer ${cookie.split('=')[1]}` })).toBe(401);
  });

  it('ends a session where somebody signs out of it, and no other one', async () => {
    const open = async (): Promise<Record<string, string>> => {
      const answer = await ask('/v1/session', { method: 'POST', bearer: token });
      const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
      return { cookie, [CONSOLE]: (await said(answer)).proof };
    };
    const [mine, other] = [await open(), await open()];
    const asked = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await ask('/v1/keys', { headers })).status;
    expect([await asked(mine), await asked(other)]).toEqual([200, 200]);
    expect((await ask('/v1/session', { method: 'DELETE', headers: mine })).status).toBe(204);
    expect([await asked(mine), await asked(other)]).toEqual([401, 200]);
    const { items } = await said(await ask('/v1/keys', { bearer: token }));
    expect(items).toEqual([]);
    expect((await ask('/v1/session', { method: 'DELETE', bearer: token })).status).toBe(204);
    expect((await ask('/v1/session', { bearer: token })).status).toBe(200);
  });

  it('makes a session of the token too, which is in no cookie then', async () => {
    const answer = await ask('/v1/session', { method: 'POST', bearer: token });
    expect(answer.headers.get('set-cookie')).not.toContain(token);
    expect((await said(answer)).proof).toMatch(/^[\w-]{43}$/);
  });

  async function greet(challenge = CHALLENGE): Promise<Greeting> {
    const { headers } = await ask('/v1/tasks', { headers: { 'x-backstep-challenge': challenge } });
    const [nonce, proof] = ['x-backstep-nonce', 'x-backstep-proof'].map((name) =>
      headers.get(name),
    );
    return { nonce: nonce ?? '', proof: proof ?? '' };
  }

  const endOfServer = (): string => `127.0.0.1 ${new URL(running.url).port}`;

  it('shows that it knows the token when it is asked, at its own address and port', async () => {
    const local = running.context.localToken!;
    const greeting = await greet();
    const asked = { challenge: CHALLENGE, end: endOfServer() };
    expect(local.isGreeting(greeting, asked)).toBe(true);
    expect(local.isGreeting(greeting, { ...asked, end: `::1${endOfServer().slice(9)}` })).toBe(
      false,
    );
    expect(await greet('c')).toEqual({ nonce: '', proof: '' });
    expect((await ask('/v1/tasks')).headers.get('x-backstep-nonce')).toBeNull();
  });

  it('takes signed requests as they were signed, and never counts them as guesses', async () => {
    const { nonce } = await greet();
    const order = JSON.stringify({ flow: 'lab-wait', parameters: {} });
    const hash = createHash('sha256').update(order).digest('base64');
    const digest = `sha-256=:${hash}:`;
    const target = '/v1/tasks?wait=0s';
    const signed = { end: endOfServer(), method: 'POST', target, digest };
    const authorization = `Backstep ${running.context.localToken!.sign(signed, nonce)}`;
    const headers = { authorization, 'content-digest': digest };
    const sent = async (more: object, url = target, body: string | null = order) => {
      const type = body === null ? {} : { 'content-type': 'application/json' };
      const all = { ...headers, ...type, ...more };
      return (await fetch(`${running.url}${url}`, { method: 'POST', headers: all, body })).status;
    };
    expect(await sent({})).toBe(201);
    for (let n = 0; n < 20; n += 1) {
      expect(await sent({}, '/v1/tasks')).toBe(401);
    }
    expect(await sent({}, target, order.replace('lab-wait', 'lab-graph'))).toBe(401);
    expect(await sent({ 'content-digest': '' })).toBe(401);
    expect((await ask('/v1/tasks', { bearer: token })).status).toBe(200);
    const stale = { authorization, 'x-backstep-challenge': CHALLENGE };
    const refused = await ask('/v1/tasks', { headers: stale });
    expect(refused.headers.get('x-backstep-nonce')).toMatch(/^\d/);
  });
});

describe('a start with the token of its machine', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await newFolder();
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('keeps the token, and the sessions of browsers with it', async () => {
    const first = await start(folder);
    const token = await tokenIn(folder);
    const { cookie, proof } = first.context.localToken!.openSession();
    await first.stop();
    const second = await start(folder);
    expect(await tokenIn(folder)).toBe(token);
    const { port } = new URL(second.url);
    const headers = { cookie: `backstep_session_${port}=${cookie}`, [CONSOLE]: proof };
    expect((await fetch(`${second.url}/v1/tasks`, { headers })).status).toBe(200);
    await second.stop();
  });

  it('is refused where others may read the file', async () => {
    await (await start(folder)).stop();
    await chmod(path.join(folder, 'token'), 0o644);
    await expect(start(folder)).rejects.toThrow(SettingsError);
    await expect(start(folder)).rejects.toThrow('BACKSTEP_AUTH=token: others may read or write');
  });

  it('asks for it on a socket too', async () => {
    const socketPath = path.join(folder, 'b.sock');
    const running = await start(folder, `unix:${socketPath}`);
    const token = await tokenIn(folder);
    const statusWith = async (headers: Readonly<Record<string, string>>) => {
      const asked = request({ socketPath, path: '/v1/tasks', headers, agent: false }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      await text(answer);
      return answer.statusCode;
    };
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(200);
    await running.stop();
  });
});
