import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
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

  it('makes a session of the token too, which is in no cookie then', async () => {
    const answer = await ask('/v1/session', { method: 'POST', bearer: token });
    expect(answer.headers.get('set-cookie')).not.toContain(token);
    expect((await said(answer)).proof).toMatch(/^[\w-]{43}$/);
  });

  it('shows that it knows the token to whoever asks so, and only for this port', async () => {
    const challenge = 'c'.repeat(43);
    const headers = { 'x-backstep-challenge': challenge };
    const proof = (await ask('/v1/tasks', { headers })).headers.get('x-backstep-proof');
    const local = running.context.localToken!;
    const port = Number(new URL(running.url).port);
    expect(local.isProof(proof ?? '', { challenge, port })).toBe(true);
    expect(local.isProof(proof ?? '', { challenge, port: port + 1 })).toBe(false);
    const short = await ask('/v1/tasks', { headers: { 'x-backstep-challenge': 'c' } });
    expect(short.headers.get('x-backstep-proof')).toBeNull();
    expect((await ask('/v1/tasks')).headers.get('x-backstep-proof')).toBeNull();
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
