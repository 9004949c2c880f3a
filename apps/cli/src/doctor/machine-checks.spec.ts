import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadSettings } from '#settings';
import { ManualClock } from '#testing';
import { checkDisk, checkPrivacy } from './machine-checks.js';
import { checkStore } from './server-checks.js';

describe('the data folder', () => {
  it.each([
    [0o700, 'ok'],
    [0o711, 'ok'],
    [0o750, 'warning'],
    [0o755, 'warning'],
    [0o702, 'warning'],
  ])('with mode %o is %s', async (mode, state) => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'backstep-doctor-'));
    chmodSync(cwd, mode);
    const settings = loadSettings({ mode: 'start', flags: { data: cwd }, cwd });
    const finding = await checkPrivacy({ settings, clock: new ManualClock() });
    rmSync(cwd, { recursive: true });
    expect(finding).toMatchObject({ check: 'privacy', state });
  });

  it.each(['file', 'file/below'])('that is a file cannot be used: %s', async (data) => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'backstep-doctor-'));
    writeFileSync(path.join(cwd, 'file'), '');
    const settings = loadSettings({ mode: 'start', flags: { data }, cwd });
    const patient = { settings, clock: new ManualClock() };
    const found = await Promise.all([
      checkStore(patient),
      checkDisk(patient),
      checkPrivacy(patient),
    ]);
    rmSync(cwd, { recursive: true });
    const detail = expect.stringMatching(/ not a (folder|directory)/);
    const check = (name: string) => ({ check: name, state: 'broken', detail });
    expect(found).toMatchObject(['store', 'disk', 'privacy'].map(check));
  });

  it('that is not there yet is nothing to worry about', async () => {
    const settings = loadSettings({ mode: 'start', flags: { data: 'none' }, cwd: tmpdir() });
    const finding = await checkPrivacy({ settings, clock: new ManualClock() });
    expect(finding.state).toBe('ok');
  });
});
