import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, RecordingObserver } from '#testing';
import { HealthModule } from '#http-server';
import { createHttpApp, type HttpApp } from '#http-server';
import { TlsFiles, tlsPlacesOf } from './tls-files.js';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/tls', import.meta.url));
/** Longer than it takes until the files are looked at again. */
const A_LOOK_MS = 10_000;

let folder: string;
let observer: RecordingObserver;
let clock: ManualClock;
let http: HttpApp | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-tls-'));
  observer = new RecordingObserver();
  clock = new ManualClock();
});
afterEach(async () => {
  await http?.app.close();
  http = undefined;
  rmSync(folder, { recursive: true });
});

const places = () => ({
  cert: path.join(folder, 'cert.pem'),
  key: path.join(folder, 'key.pem'),
  clientCa: null,
});

function put(part: 'cert' | 'key', whose: 'first' | 'second'): void {
  copyFileSync(path.join(FIXTURES, `${whose}.${part}.pem`), places()[part]);
  chmodSync(places()[part], 0o600);
}

function openFiles(): TlsFiles {
  return new TlsFiles(places(), { clock, observer });
}

/** Listens with the first pair; asks who answers. */
async function given() {
  put('cert', 'first');
  put('key', 'first');
  const files = openFiles();
  const metrics = { contentType: 'text/plain', text: () => '' };
  const module = class TestModule {};
  const imports = [HealthModule.register({ checks: [], clock, metrics })];
  const options = { bodyLimit: 1_000, idPrefix: 'p', onFault: () => {}, tls: files.pair };
  http = await createHttpApp({ module, imports }, options);
  const server = http.app.getHttpServer();
  await http.app.listen(0, '127.0.0.1');
  files.follow({ server, onAuthorities: () => {} });
  const { port } = server.address() as AddressInfo;
  const whose = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const order = { port, path: '/livez', agent: false, rejectUnauthorized: false };
      get(order, (answer) => {
        const name = (answer.socket as TLSSocket).getPeerCertificate().subject.CN;
        answer.resume().once('end', () => resolve(answer.statusCode === 200 ? name : undefined));
      }).once('error', reject);
    });
  return { files, whose };
}

const notices = (): readonly string[] => observer.notices.map(({ name }) => name);

describe('a listener with a certificate', () => {
  it('shows the new one once both files have changed', async () => {
    const { files, whose } = await given();
    expect(await whose()).toBe('first.example');
    put('cert', 'second');
    put('key', 'second');
    await clock.advance(A_LOOK_MS);
    expect(await whose()).toBe('second.example');
    expect(notices()).toEqual(['tls_reloaded']);
    files.stop();
  });

  it('keeps the old one while the files do not fit, and says so once', async () => {
    const { files, whose } = await given();
    put('cert', 'second');
    await clock.advance(3 * A_LOOK_MS);
    expect(await whose()).toBe('first.example');
    expect(notices()).toEqual(['tls_not_reloaded']);
    put('key', 'second');
    await clock.advance(A_LOOK_MS);
    expect(await whose()).toBe('second.example');
    files.stop();
  });

  it('keeps it while a file is away, says so each time, and notes it until the file is back', async () => {
    const { files, whose } = await given();
    for (let time = 1; time <= 2; time += 1) {
      rmSync(places().key);
      await clock.advance(2 * A_LOOK_MS);
      expect(await whose()).toBe('first.example');
      expect(notices()).toEqual(Array(time).fill('tls_not_reloaded'));
      expect(files.notes()).toEqual([expect.stringContaining('BACKSTEP_TLS_KEY')]);
      put('key', 'first');
      await clock.advance(A_LOOK_MS);
      expect(files.notes()).toEqual([]);
    }
    files.stop();
  });

  it('looks no more once it has stopped', async () => {
    const { files, whose } = await given();
    files.stop();
    put('cert', 'second');
    put('key', 'second');
    await clock.advance(A_LOOK_MS);
    expect(await whose()).toBe('first.example');
  });
});

describe('a key', () => {
  it.each([
    [0o600, 0],
    [0o640, 0],
    [0o644, 1],
    [0o604, 1],
  ])('with mode %i has %i warnings', (mode, warnings) => {
    put('cert', 'first');
    put('key', 'first');
    chmodSync(places().key, mode);
    openFiles();
    const told = observer.notices.map(({ message, name }) => [name, message]);
    expect(told).toHaveLength(warnings);
    if (warnings > 0)
      expect(told).toEqual([['unsafe_setting', expect.stringContaining('key.pem')]]);
  });
});

describe('files that cannot be used stop the start', () => {
  it('when one is not there', () => {
    put('cert', 'first');
    expect(openFiles).toThrow(/BACKSTEP_TLS_CERT and BACKSTEP_TLS_KEY: ENOENT.*key\.pem/);
  });

  it('when the key is that of another certificate', () => {
    put('cert', 'first');
    put('key', 'second');
    expect(openFiles).toThrow('key values mismatch');
  });

  it('and nothing is read where none is set', () => {
    const pair = { tlsCert: '/c', tlsKey: '/k', tlsClientCa: null };
    expect(tlsPlacesOf({ ...pair, tlsCert: null, tlsKey: null })).toBeNull();
    expect(tlsPlacesOf(pair)).toEqual({ cert: '/c', key: '/k', clientCa: null });
  });
});
