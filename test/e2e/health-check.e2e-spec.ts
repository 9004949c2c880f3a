import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { freePort } from '../servers/free-ports.js';
import { REPOSITORY } from '../stack/index.js';
import { CertificateAuthority } from '../tls/certificate-authority.js';

jest.setTimeout(240_000);

type Environment = Readonly<Record<string, string>>;

let folder: string;
let secured: Environment;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-health-'));
  const authority = await CertificateAuthority.open(folder, 'ours');
  const own = await authority.issueForLoopback();
  secured = { BACKSTEP_TLS_CERT: own.certFile, BACKSTEP_TLS_KEY: own.keyFile };
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The command of the Dockerfile, as Docker runs it in the folder of the image. */
function health(env: Environment): Promise<{ code: number; err: string }> {
  const [, command = ''] =
    /^HEALTHCHECK[^[]*CMD (\[[^\]]*\])/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const [, ...argv] = JSON.parse(command) as string[];
  const options = { cwd: REPOSITORY, env: { PATH: process.env['PATH'], ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, argv, options, (error, _out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), err });
    });
  });
}

const any = (port: number): Environment => ({
  BACKSTEP_HTTP: `0.0.0.0:${port}`,
  BACKSTEP_AUTH: 'keys',
});

describe('the health check of the image', () => {
  it.each([
    ['plain', (port: number) => any(port)],
    [
      'TLS that asks for client certificates',
      (port: number) => ({
        ...any(port),
        ...secured,
        BACKSTEP_AUTH: 'mtls',
        BACKSTEP_MTLS_GRANTS: 'spiffe://prod/alice=operator',
        BACKSTEP_TLS_CLIENT_CA: path.join(folder, 'ours.pem'),
      }),
    ],
    ['one address', (port: number) => ({ BACKSTEP_HTTP: `127.0.0.2:${port}` })],
    ['a socket', () => ({ BACKSTEP_HTTP: `unix:${path.join(folder, 'b.sock')}` })],
  ] as const)('asks as the process listens: %s', async (name, settingsAt) => {
    const port = await freePort();
    const settings = { ...settingsAt(port), BACKSTEP_DATA: path.join(folder, name.slice(0, 5)) };
    expect((await health(settings)).code).toBe(1);
    const program = new CliChild(['start', 'standalone'], { cwd: folder, env: settings });
    try {
      await program.untilWritten('listens on');
      expect(await health(settings)).toEqual({ code: 0, err: '' });
    } finally {
      program.kill('SIGKILL');
      await program.end;
    }
    const gone = await health(settings);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('not ready: ')]);
  });
});
