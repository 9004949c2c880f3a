import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../servers/free-ports.js';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { CertificateAuthority, type IssuedCertificate } from '../tls/certificate-authority.js';

const FLOWS = fileURLToPath(new URL('../../flow-configs', import.meta.url));

let folder: string;
let ours: CertificateAuthority;
let url: string;
let program: CliChild;
let alice: IssuedCertificate;

const access = (): string => path.join(folder, 'access.jsonc');
const bind = (role: string): string =>
  `{ "bindings": [{ "subject": "spiffe://prod/alice", "by": "mtls", "role": "${role}" }] }`;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-client-certificates-'));
  ours = await CertificateAuthority.open(folder, 'ours');
  const own = await ours.issueForLoopback();
  alice = await ours.issue({ names: 'URI:spiffe://prod/alice' });
  copyFileSync(ours.certFile, path.join(folder, 'clients.pem'));
  writeFileSync(access(), bind('operator'));
  const http = `127.0.0.1:${await freePort()}`;
  url = `https://${http}`;
  const env = {
    BACKSTEP_AUTH: 'mtls',
    BACKSTEP_TLS_CERT: own.certFile,
    BACKSTEP_TLS_KEY: own.keyFile,
    BACKSTEP_TLS_CLIENT_CA: 'clients.pem',
    BACKSTEP_ACCESS: 'access.jsonc',
    BACKSTEP_FLOWS: FLOWS,
    BACKSTEP_LAB: 'on',
    BACKSTEP_HTTP: http,
    BACKSTEP_LOG: 'warn',
  };
  program = new CliChild(['start', 'standalone'], { cwd: folder, env });
  await program.untilWritten(url);
}, 240_000);

afterAll(async () => {
  program.kill('SIGTERM');
  await program.end;
  rmSync(folder, { recursive: true });
});

function cli(argv: readonly string[], shown?: IssuedCertificate): Promise<CliEnd> {
  const env = {
    BACKSTEP_URL: url,
    NODE_EXTRA_CA_CERTS: ours.certFile,
    ...(shown && { BACKSTEP_CLIENT_CERT: shown.certFile, BACKSTEP_CLIENT_KEY: shown.keyFile }),
  };
  return new CliChild(argv, { cwd: folder, env }).end;
}

describe('the command line shows a certificate', () => {
  it('and follows a task with it, in the name that it has', async () => {
    const started = await cli(['task', 'start', 'lab-succeed', '--wait', '-o', 'name'], alice);
    expect(started).toMatchObject({ code: 0 });
    const events = await cli(['task', 'events', started.stdout.trim(), '-o', 'json'], alice);
    expect(JSON.parse(events.stdout)[0]).toMatchObject({ actor: 'spiffe://prod/alice' });
  }, 240_000);

  it('and is told where it is not taken', async () => {
    const other = await CertificateAuthority.open(folder, 'another');
    const shown = await other.issue({ names: 'URI:spiffe://prod/alice' });
    const foreign = await cli(['flow', 'list'], shown);
    expect(foreign).toMatchObject({ code: 2 });
    expect(foreign.stderr).toContain('no authority that is known here has signed it');
    const none = await cli(['flow', 'list']);
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('This request needs a client certificate. (UNAUTHENTICATED)');
    expect(none.stderr).toContain('BACKSTEP_CLIENT_CERT');
  }, 240_000);

  it('and has other rights once the file of bindings is edited; a bad edit changes nothing', async () => {
    writeFileSync(access(), '{ "bindings": [ { "role": } ] }');
    await program.untilWritten('access_not_reloaded');
    expect(program.stderr + program.stdout).toContain('access.jsonc:1:27');
    expect(await cli(['flow', 'list'], alice)).toMatchObject({ code: 0 });
    writeFileSync(access(), bind('viewer'));
    const start = ['task', 'start', 'lab-succeed'];
    let end = await cli(start, alice);
    while (end.code === 0) end = await cli(start, alice);
    expect(end.stderr).toContain('spiffe://prod/alice has the role viewer');
  }, 240_000);
});

describe('a process with wrong files does not start', () => {
  it.each([
    [
      'access.jsonc',
      '{\n "bindings": [{ "group": "a" }]\n}',
      'access.jsonc:2:15: `role` is missing.',
    ],
    ['clients.pem', 'nothing', 'BACKSTEP_TLS_CLIENT_CA: '],
  ])(
    '%s',
    async (file, text, sentence) => {
      const place = mkdtempSync(path.join(folder, 'wrong-'));
      const own = await ours.issueForLoopback();
      copyFileSync(ours.certFile, path.join(place, 'clients.pem'));
      writeFileSync(path.join(place, 'access.jsonc'), bind('viewer'));
      writeFileSync(path.join(place, file), text);
      const env = {
        BACKSTEP_AUTH: 'mtls',
        BACKSTEP_TLS_CERT: own.certFile,
        BACKSTEP_TLS_KEY: own.keyFile,
        BACKSTEP_TLS_CLIENT_CA: 'clients.pem',
        BACKSTEP_ACCESS: 'access.jsonc',
        BACKSTEP_HTTP: '127.0.0.1:0',
      };
      const end = await new CliChild(['start', 'standalone'], { cwd: place, env }).end;
      expect(end.code).toBe(2);
      expect(end.stderr).toContain('error: 1 setting is wrong:');
      expect(end.stderr).toContain(sentence);
    },
    240_000,
  );
});
