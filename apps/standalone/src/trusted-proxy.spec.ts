import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CertificateAuthority } from '../../../test/tls/certificate-authority.js';
import { openTls } from '../../../test/tls/tls-client.js';
import { makeKey } from '#access';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { KEY as KEYS } from '#ports';
import { openSqliteStore } from '#store-sqlite';
import { standaloneProcess } from './standalone.process.js';

const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));
const [SECRET, NEXT] = ['s'.repeat(32), 'n'.repeat(32)];
const WRONG = 'w'.repeat(32);
const KEY = { id: 'a'.repeat(16), secret: 'a'.repeat(43) };
const { record, text: key } = makeKey({ name: 'root', role: 'admin' }, KEY, 1_000);

let folder: string;
let running: RunningProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-proxy-'));
  put('proxy.secret', `${SECRET}\n`);
  bind(
    '{ "group": "sre", "by": "proxy", "role": "admin" }',
    '{ "subject": "bob", "role": "operator" }',
    '{ "subject": "*@a.example", "role": "operator" }',
  );
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await rm(folder, { recursive: true });
});

function put(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text, { mode: 0o600 });
}

function bind(...bindings: readonly string[]): void {
  put('access.jsonc', `{ "bindings": [${bindings.join(', ')}] }`);
}

async function start(auth: string, more: Record<string, string> = {}): Promise<void> {
  const file = path.join(folder, 'backstep.db');
  const store = await openSqliteStore({ path: file });
  await store.records.put(KEYS, record, null);
  await store.close();
  const where = { store: `sqlite:${file}`, flows, http: '127.0.0.1:0', log: 'silent', lab: 'on' };
  const proxy = { access: 'access.jsonc', proxySecretFile: 'proxy.secret' };
  const flags = { ...where, ...(auth.includes('proxy') && proxy), auth, ...more };
  running = await startProcess(
    standaloneProcess,
    loadSettings({ mode: 'test', flags, cwd: folder }),
  );
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `fetch` joins two headers of a name. */
async function open(place: string, sent: Headers, body?: object): Promise<IncomingMessage> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = { method: body ? 'POST' : 'GET', headers: { ...sent, ...json } as never };
  const asked = request(`${running?.url}${place}`, options);
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

async function ask(place: string, sent: Headers, body?: object): Promise<Answer> {
  const answer = await open(place, sent, body);
  const text = (await answer.toArray()).join('');
  const { headers, statusCode: status = 0 } = answer;
  const isJson = String(headers['content-type']).includes('json');
  return { status, headers, text, body: isJson ? JSON.parse(text) : {} };
}

function by(actor: string, more: Headers = {}): Headers {
  return { 'x-backstep-proxy': SECRET, 'x-backstep-actor': actor, ...more };
}

const bearer = { authorization: `Bearer ${key}` };
const ALICE = 'alice@a.example';

/** Resolves once the answer to a question is this one: nothing tells of a file that was read. */
async function until<T>(question: () => Promise<T>, wanted: T): Promise<void> {
  for (let seen = await question(); seen !== wanted; seen = await question());
}

describe('a process that trusts a proxy', () => {
  it('acts in the name of the person that the proxy names', async () => {
    await start('proxy');
    const made = await ask('/v1/tasks?wait=30s', by(ALICE), { flow: 'lab-succeed' });
    expect([made.status, made.body['status']]).toEqual([201, 'succeeded']);
    const task = `/v1/tasks/${String(made.body['taskId'])}`;
    const { body: events } = await ask(`${task}/events`, by(ALICE));
    expect((events['items'] as readonly object[])[0]).toMatchObject({
      ...{ kind: 'created', actor: ALICE },
    });
    await ask(`${task}:undo`, by(ALICE), { reason: 'a test' });
    const audit = await ask('/v1/audit', by('carol', { 'x-backstep-groups': 'x, sre' }));
    expect(audit.body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ actor: ALICE, keyId: `proxy#${ALICE}`, reason: 'a test' }),
      ]),
    });
    expect(audit.text).not.toContain(SECRET);
  });

  it('asks everybody for it, and keeps to the bindings', async () => {
    await start('proxy');
    expect((await ask('/readyz', {})).body).toMatchObject({ auth: 'proxy', status: 'ready' });
    const none = await ask('/v1/flows', {});
    expect(none).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Proxy' } });
    expect(none.body['detail']).toBe(
      'This request needs the headers `X-Backstep-Proxy` and `X-Backstep-Actor` of a trusted proxy.',
    );
    const unbound = await ask('/v1/flows', by('mallory'));
    expect([unbound.status, unbound.body['detail']]).toEqual([
      403,
      'The proxy is good, but nothing gives mallory a role here.',
    ]);
    const reserved = await ask('/v1/flows', by('backstep', { 'x-backstep-groups': 'sre' }));
    expect([reserved.status, reserved.body['code']]).toEqual([403, 'FORBIDDEN']);
    const lacking = await ask('/v1/audit', by(ALICE));
    expect(lacking.body['detail']).toBe(`${ALICE} has the role operator, and this needs admin.`);
    expect((await ask('/v1/flows', { 'x-backstep-proxy': SECRET })).status).toBe(401);
  });

  it('refuses another secret, and counts it as a failure of its address', async () => {
    await start('proxy', { badKeysPerMinute: '2' });
    const wrong = () => ask('/v1/flows', { ...by(ALICE), 'x-backstep-proxy': WRONG });
    const answers = [await wrong(), await wrong(), await wrong()];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(answers[0]?.body['detail']).toBe('The secret in `X-Backstep-Proxy` is not accepted.');
    for (const { headers, text } of answers) {
      expect(JSON.stringify([headers, text])).not.toContain(WRONG);
    }
    expect((await ask('/v1/flows', by(ALICE))).status).toBe(200);
  });

  it('refuses an actor for whom nobody vouches, and headers that a client has put in', async () => {
    await start('proxy');
    const invalid = { status: 400, body: { code: 'INVALID_REQUEST' } };
    const claimed = await ask('/v1/flows', { 'x-backstep-actor': ALICE });
    expect(claimed).toMatchObject(invalid);
    expect(claimed.body['errors']).toMatchObject([{ pointer: '/X-Backstep-Actor' }]);
    const twice = { 'x-backstep-groups': ['sre', 'users'] };
    const added = await ask('/v1/flows', by(ALICE, twice));
    expect(added).toMatchObject(invalid);
    expect(added.body['errors']).toMatchObject([{ pointer: '/X-Backstep-Groups' }]);
    for (const actor of [['alice', ALICE], `bob, ${ALICE}`, 'Zo\u00eb', '']) {
      const answer = await ask('/v1/flows', { ...by(''), 'x-backstep-actor': actor });
      expect(answer).toMatchObject(invalid);
    }
    const guessed = { 'x-backstep-proxy': [SECRET, SECRET] };
    expect((await ask('/v1/flows', { ...by(ALICE), ...guessed })).status).toBe(400);
  });

  it('takes other ways of those whom no proxy names; its word goes before them', async () => {
    await start('keys,proxy');
    const nameOf = async (headers: Headers): Promise<unknown> =>
      (await ask('/v1/session', headers)).body['name'];
    expect(await nameOf(bearer)).toBe('root');
    expect(await nameOf({ ...bearer, 'x-backstep-actor': 'ann' })).toBe('root');
    expect(await nameOf({ ...bearer, 'x-backstep-proxy': SECRET })).toBe('root');
    expect(await nameOf({ ...bearer, ...by('bob') })).toBe('bob');
    expect(await nameOf({ ...by('bob'), authorization: 'Basic Ym9iOng=' })).toBe('bob');
    const wrong = { ...bearer, ...by('bob'), 'x-backstep-proxy': WRONG };
    expect((await ask('/v1/session', wrong)).status).toBe(401);
    const none = await ask('/v1/session', { 'x-backstep-actor': 'ann' });
    expect([none.status, none.body['detail']]).toEqual([
      401,
      'This request needs the headers `X-Backstep-Proxy` and `X-Backstep-Actor` of a trusted proxy, ' +
        'or a key in the header `Authorization: Bearer ...`.',
    ]);
    const signedIn = await ask('/v1/session', { ...bearer, ...by('bob') }, {});
    expect([signedIn.body['name'], signedIn.headers['set-cookie']]).toEqual(['bob', undefined]);
  });

  it('takes its certificate for nobody whom it does not name', async () => {
    const authority = await CertificateAuthority.open(folder, 'ours');
    const own = await authority.issueForLoopback();
    const shown = await authority.issue({ commonName: 'bob' });
    const files = { tlsCert: own.certFile, tlsKey: own.keyFile, tlsClientCa: authority.certFile };
    await start('mtls,proxy', files);
    const statusOf = async (headers?: Record<string, string>): Promise<unknown> => {
      const order = { url: running?.url ?? '', ca: authority.cert, path: '/v1/flows', shown };
      const answer = await openTls({ ...order, ...(headers && { headers }) });
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusOf()).toBe(200);
    expect(await statusOf({ 'x-backstep-proxy': SECRET })).toBe(401);
  });

  it('believes nothing of a proxy where none is trusted', async () => {
    await start('keys');
    expect((await ask('/v1/flows', by(ALICE))).status).toBe(401);
    expect((await ask('/v1/session', { ...by(ALICE), ...bearer })).body['name']).toBe('root');
  });

  it('keeps pages of other origins out', async () => {
    await start('proxy');
    const foreign = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await ask('/v1/tasks', by(ALICE, foreign), { flow: 'lab-succeed' })).status).toBe(403);
  });

  it('tells apart two people that the proxy names', async () => {
    await start('proxy,keys', { approvals: 'terminate on * needs two' });
    const made = await ask('/v1/tasks', by('bob'), { flow: 'lab-approve' });
    const task = `/v1/tasks/${String(made.body['taskId'])}`;
    const asked = await ask(`${task}:terminate`, by('bob'), { reason: 'r' });
    expect(asked.body).toMatchObject({ status: 'waiting', actor: 'bob' });
    const approval = `/v1/operations/${String(asked.body['operationId'])}:approve`;
    expect((await ask(approval, by('bob'), { comment: 'yes' })).status).toBe(403);
    expect((await ask(approval, by(ALICE), { comment: 'yes' })).status).toBe(200);
  });

  it('ends streams once the bindings change, or the secret is another', async () => {
    await start('proxy', { badKeysPerMinute: 'none' });
    const streamOf = async (actor: string) => {
      const stream = await open('/v1/events', by(actor, { accept: 'text/event-stream' }));
      expect(stream.statusCode).toBe(200);
      return { ended: once(stream.resume(), 'close') };
    };
    const statusOf = async (secret: string): Promise<number> =>
      (await ask('/v1/flows', by('bob', { 'x-backstep-proxy': secret }))).status;
    const first = await streamOf('bob');
    bind('{ "subject": "bob", "role": "viewer" }');
    await first.ended;
    const second = await streamOf('bob');
    put('proxy.secret', `${SECRET}\n${NEXT}\n`);
    await until(() => statusOf(NEXT), 200);
    expect(await statusOf(SECRET)).toBe(200);
    put('proxy.secret', NEXT);
    await second.ended;
    expect([await statusOf(SECRET), await statusOf(NEXT)]).toEqual([401, 200]);
  }, 60_000);
});
