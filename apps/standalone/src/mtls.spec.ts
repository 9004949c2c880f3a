import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CertificateAuthority,
  type IssuedCertificate,
} from '../../../test/tls/certificate-authority.js';
import { askTls, openTls, type TlsAnswer } from '../../../test/tls/tls-client.js';
import { makeKey } from '#access';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { KEY } from '#ports';
import { openSqliteStore } from '#store-sqlite';
import { standaloneProcess } from './standalone.process.js';

const SECRET = { id: 'a'.repeat(16), secret: 'a'.repeat(43) };
const { record, text: key } = makeKey({ name: 'root', role: 'admin' }, SECRET, 1_000);
const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));

const GRANTS = [
  'spiffe://prod/ops/*=operator',
  'spiffe://prod/payments=starter flows:lab-s* label.team:payments',
  'reader.example=viewer',
  'root=operator',
].join('; ');

let home: string;
let authority: CertificateAuthority;
let other: CertificateAuthority;
let own: IssuedCertificate;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'backstep-mtls-'));
  authority = await CertificateAuthority.open(home, 'ours');
  other = await CertificateAuthority.open(home, 'another');
  own = await authority.issueForLoopback();
});
afterAll(() => rm(home, { recursive: true }));

let folder: string;
let running: RunningProcess;
let clientCa: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(home, 'run-'));
  clientCa = path.join(folder, 'ca.pem');
  copyFileSync(authority.certFile, clientCa);
});
afterEach(() => running?.stop());

async function start(auth: string, more: Record<string, string> = {}): Promise<void> {
  const file = path.join(folder, 'backstep.db');
  const store = await openSqliteStore({ path: file });
  await store.records.put(KEY, record, null);
  await store.close();
  const tls = { tlsCert: own.certFile, tlsKey: own.keyFile, tlsClientCa: clientCa };
  const where = { store: `sqlite:${file}`, flows, http: '127.0.0.1:0', log: 'silent', lab: 'on' };
  const flags = { ...where, ...tls, auth, mtlsGrants: GRANTS, ...more };
  running = await startProcess(
    standaloneProcess,
    loadSettings({ mode: 'test', flags, cwd: folder }),
  );
}

interface Asked {
  readonly shown?: IssuedCertificate;
  readonly token?: string;
  readonly body?: object;
}

function ask(place: string, { body, shown, token }: Asked = {}): Promise<TlsAnswer> {
  return askTls({ url: running.url, ca: authority.cert, path: place, shown, token, body });
}

const named = (names: string): Promise<IssuedCertificate> => authority.issue({ names });

describe('a process that takes client certificates', () => {
  it('knows by them who acts, in journals and in the audit log', async () => {
    await start('mtls,keys');
    const shown = await named('DNS:a.example,URI:spiffe://prod/ops/alice');
    const body = { flow: 'lab-succeed' };
    const made = await ask('/v1/tasks?wait=30s', { shown, body });
    expect([made.status, made.body['status']]).toEqual([201, 'succeeded']);
    const task = `/v1/tasks/${String(made.body['taskId'])}`;
    const actor = 'spiffe://prod/ops/alice';
    const events = (await ask(`${task}/events`, { shown })).body['items'];
    expect((events as readonly object[])[0]).toMatchObject({ kind: 'created', actor });
    await ask(`${task}:undo`, { shown, body: { reason: 'a test' } });
    const audit = (await ask('/v1/audit?limit=1', { token: key })).body;
    const entry = { actor, keyId: `certificate#${actor}`, reason: 'a test' };
    expect(audit).toMatchObject({ items: [entry] });
    expect((await ask('/v1/session', { shown })).body).toMatchObject({
      name: actor,
      role: 'operator',
      everybody: false,
    });
  });

  it('keeps to the role and the limits of the grant', async () => {
    await start('mtls');
    const shown = await named('URI:spiffe://prod/payments');
    const made = await ask('/v1/tasks', { shown, body: { flow: 'lab-succeed' } });
    expect(made.status).toBe(201);
    const task = `/v1/tasks/${String(made.body['taskId'])}`;
    expect((await ask(task, { shown })).body).toMatchObject({ labels: { team: 'payments' } });
    const flow = 'create-db-instance';
    expect((await ask('/v1/tasks', { shown, body: { flow } })).status).toBe(404);
    const undo = await ask(`${task}:undo`, { shown, body: {} });
    expect(undo).toMatchObject({
      status: 403,
      body: { detail: 'spiffe://prod/payments has the role starter, and this needs operator.' },
    });
    const reader = await named('email:x@y.example,DNS:reader.example');
    expect((await ask('/v1/tasks', { shown: reader })).status).toBe(200);
    expect((await ask('/v1/tasks', { shown: reader, body: { flow } })).status).toBe(403);
  });

  it('refuses whom nobody grants anything, and names that are not theirs', async () => {
    await start('mtls', { mtlsGrants: `${GRANTS}; *=viewer` });
    const reserved = await authority.issue({ commonName: 'backstep' });
    const answers = await Promise.all(
      [reserved, await authority.issue({ commonName: 'mysql-0123abcd' })].map((shown) =>
        ask('/v1/flows', { shown }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(answers[0]?.body['detail']).toBe(
      'The certificate is good, but the name backstep may be taken for a part of Backstep.',
    );
    const nameless = await ask('/v1/flows', { shown: await authority.issue({}) });
    expect(nameless.body['detail']).toContain('it has no name that can be shown');
    const shown = await authority.issue({ commonName: 'somebody' });
    expect((await ask('/v1/flows', { shown })).status).toBe(200);
  });

  it('takes keys beside them; a key in the request goes before its certificate', async () => {
    await start('keys,mtls');
    const shown = await named('DNS:reader.example');
    expect((await ask('/v1/session', { shown })).body['role']).toBe('viewer');
    expect((await ask('/v1/session', { shown, token: key })).body['role']).toBe('admin');
    expect((await ask('/v1/session', { token: key })).body['role']).toBe('admin');
    expect((await ask('/v1/session', { shown, token: `${key}x` })).status).toBe(401);
    const foreign = await other.issue({ names: 'DNS:reader.example' });
    expect((await ask('/v1/session', { shown: foreign })).status).toBe(401);
    expect((await ask('/v1/session', { shown: foreign, token: key })).status).toBe(200);
    const none = await ask('/v1/session');
    expect(none.body['detail']).toBe(
      'This request needs a client certificate, or a key in the header `Authorization: Bearer ...`.',
    );
    const signedIn = await ask('/v1/session', { shown, body: {} });
    expect([signedIn.status, signedIn.headers['set-cookie']]).toEqual([200, undefined]);
  });

  it('takes no key where certificates are the only way', async () => {
    await start('mtls');
    expect((await ask('/v1/flows', { token: key })).status).toBe(401);
    const ready = await ask('/readyz');
    expect(ready).toMatchObject({ status: 200, body: { auth: 'mtls', notes: [] } });
    expect((await ask('/livez')).status).toBe(200);
  });

  it('bounds the requests of each name', async () => {
    await start('mtls', { ratePerKey: '1' });
    const [shown, another] = [
      await named('DNS:reader.example'),
      await named('URI:spiffe://prod/ops/a'),
    ];
    const answers = [1, 2, 3].map(() => ask('/v1/flows', { shown }));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    expect((await ask('/v1/flows', { shown: another })).status).toBe(200);
  });

  it('knows two people apart, whatever certificates or keys of their name they show', async () => {
    await start('keys,mtls', { approvals: 'terminate on * needs two' });
    const [shown, renewed, bob] = [
      await authority.issue({ commonName: 'root' }),
      await authority.issue({ commonName: 'root' }),
      await named('URI:spiffe://prod/ops/bob'),
    ];
    const made = await ask('/v1/tasks', { shown, body: { flow: 'lab-approve' } });
    const task = `/v1/tasks/${String(made.body['taskId'])}`;
    const asked = await ask(`${task}:terminate`, { shown, body: { reason: 'r' } });
    expect(asked.body).toMatchObject({ status: 'waiting', actor: 'root' });
    const approval = `/v1/operations/${String(asked.body['operationId'])}:approve`;
    const agree = { comment: 'yes' };
    expect((await ask(approval, { shown: renewed, body: agree })).status).toBe(403);
    expect((await ask(approval, { token: key, body: agree })).status).toBe(403);
    expect((await ask(approval, { shown: bob, body: agree })).status).toBe(200);
  });

  it('ends the streams of certificates once other authorities count', async () => {
    await start('mtls');
    const shown = await named('DNS:reader.example');
    const headers = { accept: 'text/event-stream' };
    const order = { url: running.url, ca: authority.cert, path: '/v1/events', shown, headers };
    const stream = await openTls(order);
    expect(stream.statusCode).toBe(200);
    const ended = once(stream.resume(), 'close');
    copyFileSync(other.certFile, clientCa);
    await ended;
    expect((await ask('/v1/flows', { shown })).status).toBe(401);
    const now = await other.issue({ names: 'DNS:reader.example' });
    expect((await ask('/v1/flows', { shown: now })).status).toBe(200);
  });
});
