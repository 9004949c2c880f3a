import { copyFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CertificateAuthority } from '../../../test/tls/certificate-authority.js';
import { askTls } from '../../../test/tls/tls-client.js';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { TokenIssuer } from '#testing';
import { standaloneProcess } from './standalone.process.js';

const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));

let folder: string;
let issuer: TokenIssuer;
let running: RunningProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-access-'));
  issuer = await TokenIssuer.open();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await issuer.close();
  await rm(folder, { recursive: true });
});

const file = (): string => path.join(folder, 'access.jsonc');
const put = (text: string): void => writeFileSync(file(), text);

async function start(auth: string, more: Record<string, string> = {}): Promise<void> {
  const store = `sqlite:${path.join(folder, 'backstep.db')}`;
  const where = { store, flows, http: '127.0.0.1:0', log: 'silent', lab: 'on', access: file() };
  const oidc = { oidcIssuer: issuer.url, oidcAudience: 'backstep', oidcRolesClaim: 'groups' };
  const flags = { ...where, auth, ...(auth.includes('oidc') && oidc), ...more };
  running = await startProcess(
    standaloneProcess,
    loadSettings({ mode: 'test', flags, cwd: folder }),
  );
}

const url = (): string => running?.url ?? '';

function ask(place: string, token?: string, body?: object): Promise<Response> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const said = body ? JSON.stringify(body) : null;
  return fetch(url() + place, { method: body ? 'POST' : 'GET', headers, body: said });
}

/** The role that the person has now; null: none. */
async function roleOf(token: string): Promise<unknown> {
  const answer = await ask('/v1/session', token);
  return answer.ok ? ((await answer.json()) as { role: unknown }).role : null;
}

/** Resolves once the answer to a question is this one: nothing tells of a file that was read. */
async function until<T>(question: () => Promise<T>, wanted: T): Promise<void> {
  for (let seen = await question(); seen !== wanted; seen = await question());
}

const SRE = '{ "group": "sre*", "role": "operator" }';

describe('bindings in a file', () => {
  it('say what tokens may do: the first that fits counts', async () => {
    put(`{
      // People by their groups, one by name.
      "bindings": [
        { "subject": "boss", "role": "admin" },
        { "group": "payments", "role": "starter", "where": {
          "flows": ["lab-s*"], "labels": { "team": "payments" }, "modules": ["lab"] } },
        ${SRE},
        { "subject": "*", "by": "mtls", "role": "admin" },
      ],
    }`);
    await start('oidc');
    const both = await issuer.token('s1', { claims: { groups: ['sre-one', 'payments'] } });
    const session = await (await ask('/v1/session', both)).json();
    expect(session).toMatchObject({
      role: 'starter',
      flows: ['lab-s*'],
      labels: { team: 'payments' },
      modules: ['lab'],
    });
    expect((await ask('/v1/tasks', both, { flow: 'lab-succeed' })).status).toBe(201);
    expect((await ask('/v1/tasks', both, { flow: 'create-db-instance' })).status).toBe(404);
    expect(await roleOf(await issuer.token('s2', { claims: { groups: ['sre'] } }))).toBe(
      'operator',
    );
    expect(await roleOf(await issuer.token('boss'))).toBe('admin');
    const nobody = await ask(
      '/v1/flows',
      await issuer.token('s3', { claims: { groups: ['admin'] } }),
    );
    expect(nobody.status).toBe(403);
  });

  it('count from the next request on when they are edited, and end what they no longer let in', async () => {
    put(`{ "bindings": [${SRE}] }`);
    await start('oidc');
    const token = await issuer.token('s1', { claims: { groups: ['sre'] } });
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const stream = await fetch(`${url()}/v1/events`, { headers });
    const ended = stream.text();
    put('{ "bindings": [{ "group": "sre", "role": "viewer" }] }');
    await until(() => roleOf(token), 'viewer');
    await ended;
    put('{ "bindings": [] }');
    await until(() => roleOf(token), null);
    expect((await ask('/v1/flows', token)).status).toBe(403);
  });

  it('stay as they are after a bad edit, which readiness tells of', async () => {
    put(`{ "bindings": [${SRE}] }`);
    await start('oidc');
    const token = await issuer.token('s1', { claims: { groups: ['sre'] } });
    const notes = async (): Promise<unknown> => {
      const ready = await ask('/readyz');
      expect(ready.status).toBe(200);
      return String(((await ready.json()) as { notes: unknown }).notes);
    };
    put(`{ "bindings": [${SRE}, { "group": "x", "role": "root" }] }`);
    const note =
      'the file of BACKSTEP_ACCESS cannot be used as it is now: the bindings that were read last count';
    await until(notes, note);
    expect(await roleOf(token)).toBe('operator');
    const metrics = await ask('/metrics', token);
    expect(await metrics.text()).toMatch(
      /backstep_notices_total\{name="access_not_reloaded",level="\w+"\} 1\n/,
    );
    await rm(file());
    expect(await roleOf(token)).toBe('operator');
    put('{ "bindings": [{ "group": "sre", "role": "viewer" }] }');
    await until(notes, '');
    expect(await roleOf(token)).toBe('viewer');
  });

  it('revoke certificates while the process runs', async () => {
    const authority = await CertificateAuthority.open(folder, 'ours');
    const [own, shown] = [
      await authority.issueForLoopback(),
      await authority.issue({ names: 'URI:spiffe://a/b' }),
    ];
    put('{ "bindings": [{ "subject": "spiffe://a/*", "role": "viewer" }] }');
    copyFileSync(authority.certFile, path.join(folder, 'ca.pem'));
    const tls = { tlsCert: own.certFile, tlsKey: own.keyFile, tlsClientCa: 'ca.pem' };
    await start('mtls', tls);
    const statusOf = async (): Promise<number> =>
      (await askTls({ url: url(), ca: authority.cert, path: '/v1/flows', shown })).status;
    expect(await statusOf()).toBe(200);
    put('{ "bindings": [{ "subject": "spiffe://a/b", "by": "oidc", "role": "viewer" }] }');
    await until(statusOf, 403);
  });
});

describe('a bad file of bindings', () => {
  it('refuses the start, with its place', async () => {
    put('{\n  "bindings": [\n    { "group": "a", "role": "root" }\n  ]\n}');
    await expect(start('oidc')).rejects.toThrow(
      `BACKSTEP_ACCESS: ${file()}:3:21: \`bindings.0.role\` must be "viewer" or "starter"`,
    );
    expect(running).toBeUndefined();
  });

  it('refuses the start where it is not there', async () => {
    await expect(start('oidc')).rejects.toThrow('access.jsonc cannot be read (ENOENT).');
  });
});
