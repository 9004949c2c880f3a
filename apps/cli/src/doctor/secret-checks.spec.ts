import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '#settings';
import { ManualClock } from '#testing';
import { checkSecretPlaces, checkSecrets } from './secret-checks.js';

const STEPS = [{ name: 'a', normal: { module: 'm', command: 'c' }, rollback: null }];

function flowWith(password: object): string {
  const input = { type: 'object', properties: { password } };
  return JSON.stringify({ vault: { input, steps: STEPS } });
}

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'backstep-doctor-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

function check(password: object, env: Readonly<Record<string, string>> = {}) {
  writeFileSync(path.join(cwd, 'vault.json'), flowWith(password));
  const settings = loadSettings({ mode: 'start', flags: { flows: cwd }, cwd, env });
  return checkSecrets({ settings, clock: new ManualClock() });
}

describe('flows that take secrets', () => {
  it('want a key, and are named while there is none', async () => {
    const finding = await check({ type: 'string', secret: true });
    expect(finding).toMatchObject({ check: 'secrets', state: 'warning' });
    expect(finding.detail).toContain('vault');
    expect(finding.fix).toContain('BACKSTEP_SECRET_KEY');
  });

  it('are well with a key, and so is having none of them', async () => {
    const key = 'ab'.repeat(32);
    const secret = { type: 'string', secret: true };
    expect((await check(secret, { BACKSTEP_SECRET_KEY: key })).state).toBe('ok');
    expect((await check({ type: 'string' })).state).toBe('ok');
  });
});

describe('secret places check', () => {
  let cwd = '';

  beforeAll(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'backstep-doctor-'));
  });

  afterAll(() => rmSync(cwd, { recursive: true }));

  function check(env: Readonly<Record<string, string>>) {
    const settings = loadSettings({ mode: 'start', cwd, env });
    return checkSecretPlaces({ settings, clock: new ManualClock() });
  }

  describe('the places of secrets', () => {
    it('are well where none is needed, or all are there', async () => {
      expect((await check({})).state).toBe('ok');
      const rules = { BACKSTEP_SECRETS: 'http=file:api/*,own:a; mysql=env:B' };
      const finding = await check({ ...rules, BACKSTEP_SECRET_FILES: cwd });
      expect(finding).toMatchObject({
        state: 'ok',
        detail: 'commands of http, mysql may use them',
      });
    });

    it('are wrong where a place is not set, or cannot be read', async () => {
      const rules = { BACKSTEP_SECRETS: 'http=file:api/*' };
      expect(await check(rules)).toMatchObject({
        state: 'broken',
        fix: 'Set BACKSTEP_SECRET_FILES',
      });
      const missing = await check({ ...rules, BACKSTEP_SECRET_FILES: path.join(cwd, 'missing') });
      expect(missing).toMatchObject({ state: 'broken' });
      expect(missing.detail).toContain('missing cannot be read');
      const token = path.join(cwd, 'token');
      const vault = { BACKSTEP_VAULT_URL: 'https://vault', BACKSTEP_VAULT_TOKEN_FILE: token };
      const lost = await check({ BACKSTEP_SECRETS: 'http=vault:kv/*', ...vault });
      expect(lost.detail).toBe(`${token} cannot be read`);
    });
  });
});
