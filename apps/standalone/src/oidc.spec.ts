import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { KEY } from '#ports';
import { openSqliteStore } from '#store-sqlite';
import { TokenIssuer } from '#testing';
import { standaloneProcess } from './standalone.process.js';

const SECRET = { id: 'a'.repeat(16), secret: 'a'.repeat(43) };
const { record, text: key } = makeKey({ name: 'root', role: 'admin' }, SECRET, 1_000);
const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));

let folder: string;
let issuer: TokenIssuer;
let running: RunningProcess;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-oidc-'));
  issuer = await TokenIssuer.open();
});

afterEach(async () => {
  await running?.stop();
  await issuer.close();
  await rm(folder, { recursive: true });
});

async function start(auth: string, more: Record<string, string> = {}): Promise<void> {
  const file = path.join(folder, 'backstep.db');
  const store = await openSqliteStore({ path: file });
  await store.records.put(KEY, record, null);
  await store.close();
  const oidc = { oidcIssuer: issuer.url, oidcAudience: 'backstep', ...more };
  const where = { store: `sqlite:${file}`, flows, http: '127.0.0.1:0', log: 'silent', lab: 'on' };
  const settings = loadSettings({ mode: 'test', flags: { ...where, ...oidc, auth }, cwd: folder });
  running = await startProcess(standaloneProcess, settings);
}

function ask(url: string, token?: string, body?: object): Promise<Response> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const method = body ? 'POST' : 'GET';
  return fetch(`${running.url}${url}`, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

describe('a process that takes tokens', () => {
  it('lets in whom the issuer names, to what the roles allow', async () => {
    await start('oidc');
    const viewer = await issuer.token('v1', { claims: { roles: ['viewer'] } });
    expect((await ask('/v1/flows', viewer)).status).toBe(200);
    expect((await ask('/metrics', viewer)).status).toBe(200);
    expect((await ask('/modules/resource/hosts', viewer)).status).toBe(200);
    const refused = await ask('/v1/tasks', viewer, { flow: 'lab-succeed' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      detail: '(v1) has the role viewer, and this needs starter.',
    });
    const nobody = await issuer.token('n1');
    const roleless = await ask('/v1/flows', nobody);
    expect(roleless.status).toBe(403);
    expect(await roleless.json()).toMatchObject({ detail: expect.stringContaining('roles') });
  });

  it('tells of a wrong token what is wrong with it, and nothing of what it should have been', async () => {
    await start('oidc');
    const wrong = [
      await issuer.token('v1', { audience: 'other' }),
      await issuer.token('v1', { lifetime: -100 }),
      await issuer.token('v1', { kid: 'unknown' }),
      key,
    ];
    const answers = await Promise.all(wrong.map((token) => ask('/v1/flows', token)));
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    const details = bodies.map((body) => (body as { readonly detail: string }).detail);
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer error="invalid_token"');
    }
    expect(new Set(details).size).toBe(wrong.length);
    for (const detail of details) expect(detail).not.toContain(issuer.url);
    const nothing = await ask('/v1/flows');
    expect(nothing.headers.get('www-authenticate')).toBe('Bearer');
    expect(await nothing.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('writes the subject and the issuer into the audit log, and the name into journals', async () => {
    await start('keys,oidc');
    const claims = { roles: ['operator'], preferred_username: 'alice' };
    const alice = await issuer.token('s-7', { claims });
    const made = await ask('/v1/tasks?wait=30s', alice, { flow: 'lab-succeed' });
    const { taskId } = (await made.json()) as { taskId: string };
    const events = await ask(`/v1/tasks/${taskId}/events`, alice);
    const { items } = (await events.json()) as { items: readonly object[] };
    expect(items[0]).toMatchObject({ kind: 'created', actor: 'alice (s-7)' });
    await ask(`/v1/tasks/${taskId}:undo`, alice, { reason: 'a test' });
    const audit = await (await ask('/v1/audit?limit=1', key)).json();
    expect(audit).toMatchObject({
      items: [{ actor: 'alice (s-7)', keyId: `${issuer.url}#s-7`, reason: 'a test' }],
    });
  });

  it('goes by the grants, where there are some', async () => {
    await start('oidc', { oidcGrants: 'sre=starter flows:lab-*', oidcRolesClaim: 'groups' });
    const sre = await issuer.token('s1', { claims: { groups: ['sre'], roles: ['admin'] } });
    expect((await ask('/v1/tasks', sre, { flow: 'lab-succeed' })).status).toBe(201);
    expect((await ask('/v1/tasks', sre, { flow: 'create-db-instance' })).status).toBe(404);
  });

  it('says of a token that no browser would keep that it is too long for a session', async () => {
    await start('oidc');
    const groups = Array.from({ length: 60 }, (_, n) => `a-group-with-quite-a-long-name-${n}`);
    const token = await issuer.token('v1', { claims: { roles: ['viewer'], groups } });
    expect(token.length).toBeGreaterThan(2_500);
    expect((await ask('/v1/session', token, {})).status).toBe(200);
    // A session is kept compressed, and names without a pattern stay long.
    const more = Array.from({ length: 100 }, (_, n) => hashOf(`${n}`));
    const long = await issuer.token('v1', { claims: { roles: ['viewer'], groups: more } });
    expect((await ask('/v1/flows', long)).status).toBe(200);
    const answer = await ask('/v1/session', long, {});
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([400, null]);
    expect(await answer.json()).toMatchObject({ errors: [{ pointer: '/Authorization' }] });
  });

  it('is not ready while the issuer is away, and nobody is judged meanwhile', async () => {
    issuer.isBroken = true;
    await start('oidc');
    const ready = await ask('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('the keys of the token issuer are not known');
    const answer = await ask('/v1/flows', await issuer.token('v1'));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ code: 'ISSUER_UNAVAILABLE' });
  });

  it('takes keys besides while the issuer is away, and says so', async () => {
    issuer.isBroken = true;
    await start('keys,oidc');
    expect((await ask('/v1/flows', key)).status).toBe(200);
    const ready = await ask('/readyz');
    expect(ready.status).toBe(200);
    const notes = ['the keys of the token issuer are not known'];
    expect(await ready.json()).toMatchObject({ auth: 'keys,oidc', notes });
  });
});
