import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '#settings';
import { ManualClock } from '#testing';
import { checkSecrets } from './secret-check.js';

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
