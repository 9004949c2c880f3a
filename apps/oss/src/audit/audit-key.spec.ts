import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readAuditKey } from './audit-key.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-audit-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function keyFile(text: string, mode = 0o600): string {
  const file = path.join(folder, 'audit.key');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const { privateKey } = generateKeyPairSync('ed25519');
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

describe('the key of the audit log', () => {
  it.each([0o600, 0o400, 0o700])('is taken with mode %o', (mode) => {
    expect(readAuditKey(keyFile(PEM, mode)).equals(privateKey)).toBe(true);
  });

  it.each([0o640, 0o620, 0o604, 0o602])('is refused with mode %o', (mode) => {
    expect(() => readAuditKey(keyFile(PEM, mode))).toThrow(
      /BACKSTEP_AUDIT_KEY_FILE: others may read or write .*audit\.key: chmod go= /,
    );
  });

  it('must be there', () => {
    const missing = path.join(folder, 'none');
    expect(() => readAuditKey(missing)).toThrow(/BACKSTEP_AUDIT_KEY_FILE: ENOENT/);
  });

  it('must be a private key', () => {
    expect(() => readAuditKey(keyFile('hello'))).toThrow(/BACKSTEP_AUDIT_KEY_FILE: /);
  });

  it('must be one of Ed25519', () => {
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = other.export({ type: 'pkcs8', format: 'pem' }) as string;
    expect(() => readAuditKey(keyFile(pem))).toThrow(/holds a key of ec, and not of Ed25519/);
  });
});
