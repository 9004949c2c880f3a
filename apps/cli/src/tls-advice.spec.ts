import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CertificateAuthority } from '../../../test/tls/certificate-authority.js';
import { EXIT } from './exit.js';
import { run } from './run-cli-spec.js';
import { StubServer } from './stub-server-spec.js';
import { adviceOnTls } from './tls-advice.js';

describe('a command line whose connection fails at TLS', () => {
  let folder: string;
  let server: Server;
  let plain: StubServer;

  const portOf = (): number => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-tls-advice-'));
    const authority = await CertificateAuthority.open(folder, 'authority');
    const { cert, key } = await authority.issueForLoopback();
    server = createServer({ cert, key });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    plain = await StubServer.start();
  });
  afterAll(async () => {
    server.close();
    await plain.stop();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['an authority that it does not know', () => `https://127.0.0.1:${portOf()}`, 'EXTRA_CA_CERTS'],
    ['a port without TLS', () => plain.url.replace('http:', 'https:'), 'does not speak TLS'],
    ['a port with TLS that was asked without', () => `http://127.0.0.1:${portOf()}`, 'https://'],
  ])('is advised on %s', async (_case, url, advice) => {
    const { code, stderr } = await run(['task', 'list', '--url', url()]);
    expect([code, stderr.match(/\n/g)?.length]).toEqual([EXIT.unreachable, 2]);
    expect(stderr).toContain(advice);
  });

  it('is advised on by the doctor as well', async () => {
    const env = { BACKSTEP_URL: `https://127.0.0.1:${portOf()}` };
    const { stdout } = await run(['doctor', '-o', 'json'], { cwd: folder, env });
    expect(stdout).toContain('signed the certificate of Backstep in NODE_EXTRA_CA_CERTS');
  });
});

it('a driver may have wrapped the error of TLS, and have no code of its own', () => {
  const cause = Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' });
  const mongo = { name: 'MongoDB', instead: 'leave tls=true out' };
  expect(adviceOnTls(new Error('no server', { cause }), mongo)).toMatch(/Renew.* of MongoDB/);
  expect(adviceOnTls(new Error('certificate has expired'), mongo)).toMatch(/Renew/);
  expect(adviceOnTls(new Error('getaddrinfo ENOTFOUND db'), mongo)).toBeNull();
});
