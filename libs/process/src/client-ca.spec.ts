import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CertificateAuthority,
  type IssuedCertificate,
} from '../../../test/tls/certificate-authority.js';
import { askTls, type TlsAnswer } from '../../../test/tls/tls-client.js';
import { AccessRules, bindingsOfNames, Callers, ClientCertificates } from '#access';
import { createHttpApp, HealthModule, type HttpApp, RequestLimits } from '#http-server';
import { ManualClock, RecordingObserver, SystemClock } from '#testing';
import { TlsFiles } from './tls-files.js';

/** Longer than it takes until the files are looked at again. */
const A_LOOK_MS = 10_000;
const GRANT = { value: 'c*', role: 'viewer', flows: null, labels: null, modules: null } as const;

let home: string;
let first: CertificateAuthority;
let second: CertificateAuthority;
let own: IssuedCertificate;
let ofFirst: IssuedCertificate;
let ofSecond: IssuedCertificate;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'backstep-client-ca-'));
  first = await CertificateAuthority.open(home, 'first');
  second = await CertificateAuthority.open(home, 'second');
  own = await first.issueForLoopback();
  ofFirst = await first.issue({ commonName: 'c1' });
  ofSecond = await second.issue({ commonName: 'c2' });
});
afterAll(() => rmSync(home, { recursive: true }));

let clock: ManualClock;
let observer: RecordingObserver;
let http: HttpApp;
let files: TlsFiles;
let port: number;

const places = () => ({ cert: own.certFile, key: own.keyFile, clientCa: `${home}/ca.pem` });
const open = (): TlsFiles => new TlsFiles(places(), { clock, observer });

beforeEach(async () => {
  clock = new ManualClock(new SystemClock().now());
  observer = new RecordingObserver();
  copyFileSync(first.certFile, places().clientCa);
  files = open();
  const rules = new AccessRules(bindingsOfNames([GRANT]));
  const certificates = new ClientCertificates({ rules, clock });
  const access = new Callers({ keys: null, tokens: null, certificates, rules, clock });
  const bounds = { perKey: Infinity, perAddress: Infinity, failures: 3 };
  const limits = new RequestLimits({ clock, ...bounds });
  const metrics = { contentType: 'text/plain', text: () => '' };
  const imports = [HealthModule.register({ checks: [], clock, metrics })];
  const options = { bodyLimit: 1_000, idPrefix: 'p', onFault: () => {}, tls: files.pair };
  const module = class TestModule {};
  http = await createHttpApp({ module, imports }, { ...options, access, limits });
  const server = http.app.getHttpServer();
  await http.app.listen(0, '127.0.0.1');
  files.follow({ server, onAuthorities: () => http.adapter.certificates.renew() });
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  files.stop();
  await http.app.close();
});

function ask(shown?: IssuedCertificate, more: { agent?: Agent; path?: string } = {}) {
  const url = `https://127.0.0.1:${port}`;
  return askTls({ url, ca: first.cert, path: '/metrics', shown, ...more });
}

const statusOf = async (answer: Promise<TlsAnswer>): Promise<number> => (await answer).status;

/** A connection that says nothing yet. */
async function connected(shown: IssuedCertificate | null, session?: Buffer): Promise<TLSSocket> {
  const { cert, key } = shown ?? {};
  const order = { port, host: '127.0.0.1', ca: first.cert, cert, key, session };
  const socket = connect(order);
  await once(socket, 'secureConnect');
  return socket;
}

const [BEGUN, ENDED] = ['GET /metrics HTTP/1.1\r\nHost: localhost\r\n', '\r\n'];

/** The head of the answer to what was written. */
async function answerOn(socket: TLSSocket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString('latin1').toLowerCase();
}

async function statusOn(socket: TLSSocket): Promise<number> {
  return Number((await answerOn(socket)).split(' ')[1]);
}

/** A session of a client that was let in, to be taken up again. */
async function sessionOf(shown: IssuedCertificate): Promise<Buffer> {
  const socket = await connected(shown);
  const told = once(socket, 'session');
  socket.write(BEGUN + ENDED);
  const [[session], status] = await Promise.all([told, statusOn(socket)]);
  expect(status).toBe(200);
  socket.destroy();
  return session as Buffer;
}

/** Takes a session up without a certificate. */
async function resumed(session: Buffer): Promise<{ isReused: boolean; status: number }> {
  const socket = await connected(null, session);
  socket.write(BEGUN + ENDED);
  const status = await statusOn(socket);
  const isReused = socket.isSessionReused();
  socket.destroy();
  return { isReused, status };
}

async function trustSecond(): Promise<void> {
  copyFileSync(second.certFile, places().clientCa);
  await clock.advance(A_LOOK_MS);
}

describe('a listener that asks clients for certificates', () => {
  it('lets in whom an authority of the file has signed, and tells others why not', async () => {
    expect(await statusOf(ask(ofFirst))).toBe(200);
    const foreign = await ask(ofSecond);
    expect(foreign).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(foreign.body['detail']).toBe(
      'The client certificate is not accepted: no authority that is known here has signed it.',
    );
    const expired = await ask(await first.issue({ commonName: 'c3', days: -1 }));
    expect(expired.body['detail']).toContain('it has expired');
    const server = await ask(await first.issue({ commonName: 'c4', purpose: 'serverAuth' }));
    expect(server.body['detail']).toContain('it is not one for clients');
    const none = await ask();
    expect(none).toMatchObject({
      status: 401,
      body: { detail: 'This request needs a client certificate.' },
    });
    expect(none.headers['www-authenticate']).toBe('Certificate');
    expect(await statusOf(ask(undefined, { path: '/livez' }))).toBe(200);
    expect(await statusOf(ask(ofSecond, { path: '/readyz' }))).toBe(200);
  });

  it('bounds how many wrong ones an address may show', async () => {
    const answers: number[] = [];
    for (let n = 0; n < 4; n += 1) answers.push(await statusOf(ask(ofSecond)));
    expect(answers).toEqual([401, 401, 401, 429]);
    expect(await statusOf(ask(ofFirst))).toBe(200);
  });

  it('does not take one that expires while its connection is open', async () => {
    const agent = new Agent({ keepAlive: true });
    expect(await statusOf(ask(ofFirst, { agent }))).toBe(200);
    clock.misset(2 * 86_400_000);
    expect(await statusOf(ask(ofFirst, { agent }))).toBe(401);
    agent.destroy();
  });
});

describe('a file of authorities that changes', () => {
  it('counts from the next look on', async () => {
    await trustSecond();
    expect(await statusOf(ask(ofFirst))).toBe(401);
    expect(await statusOf(ask(ofSecond))).toBe(200);
    expect(observer.notices.map(({ name }) => name)).toEqual(['tls_reloaded']);
  });

  it('counts for sessions that are taken up again', async () => {
    const session = await sessionOf(ofFirst);
    expect(await resumed(session)).toEqual({ isReused: true, status: 200 });
    await trustSecond();
    expect(await resumed(session)).toMatchObject({ status: 401 });
  });

  it('counts for connections that are open, and ends those that are idle', async () => {
    const idle = await connected(ofFirst);
    idle.write(BEGUN + ENDED);
    expect(await statusOn(idle)).toBe(200);
    const busy = await connected(ofFirst);
    busy.write(BEGUN);
    const ended = once(idle, 'close');
    await trustSecond();
    await ended;
    busy.write(ENDED);
    const answer = await answerOn(busy);
    expect(answer).toContain('the authorities have changed: connect again');
    expect(answer).toMatch(/^http\/1.1 401 [^]*\r\nconnection: close\r\n/);
  });

  it('does not let a session in that began without a certificate', async () => {
    const socket = await connected(null);
    const told = once(socket, 'session');
    socket.write(BEGUN + ENDED);
    const [[session], status] = await Promise.all([told, statusOn(socket)]);
    expect(status).toBe(401);
    expect(await resumed(session as Buffer)).toEqual({ isReused: true, status: 401 });
  });

  it('leaves the old ones in place while it cannot be used, and says so once', async () => {
    writeFileSync(places().clientCa, 'no certificate');
    await clock.advance(3 * A_LOOK_MS);
    expect(await statusOf(ask(ofFirst))).toBe(200);
    expect(observer.notices).toEqual([
      {
        level: 'warn',
        name: 'tls_not_reloaded',
        message: expect.stringContaining('ca.pem has no certificate in PEM'),
      },
    ]);
  });
});

it.each(['', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
  'authorities that cannot be read stop the start: %j',
  (content) => {
    writeFileSync(places().clientCa, content);
    expect(open).toThrow(/BACKSTEP_TLS_CLIENT_CA: /);
  },
);
