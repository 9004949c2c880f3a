import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { NODE_FLAGS } from '../stack/node-flags.js';

const UNITS = ['backstep.service', 'backstep@.service'];
/** In tenths: below it systemd calls a service protected enough. */
const EXPOSURE_MAX = 45;
const folder = mkdtempSync(path.join(tmpdir(), 'backstep-units-'));
const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;
const verified = isThere ? it : it.skip;

afterAll(() => rmSync(folder, { recursive: true }));

function textOf(unit: string): string {
  return readFileSync(path.join('examples/systemd', unit), 'utf8');
}

describe.each(UNITS)('%s', (unit) => {
  // Debian: apt-get install systemd
  verified('is understood by systemd (skipped where systemd-analyze is not installed)', () => {
    // On this machine Node is elsewhere, and there is no such user.
    const text = textOf(unit)
      .replace('/usr/bin/node', process.execPath)
      .replace('User=backstep', `User=${userInfo().username}`);
    const file = path.join(folder, unit.replace('@', '@oss'));
    writeFileSync(file, text);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    expect([status, stderr.split('\n').filter((line) => line.includes('backstep'))]).toEqual([
      0,
      [],
    ]);
  });

  verified('leaves little of the machine to the process, as systemd judges it', () => {
    const file = path.join(folder, `judged-${unit.replace('@', '@oss')}`);
    writeFileSync(file, textOf(unit));
    const argv = ['security', '--offline=yes', `--threshold=${EXPOSURE_MAX}`, file];
    expect(spawnSync('systemd-analyze', argv, { encoding: 'utf8' })).toMatchObject({ status: 0 });
  });

  it('starts Node as `npm start` does, with a folder of its own, and drains it', () => {
    const text = textOf(unit);
    expect(text).toContain(
      `ExecStart=/usr/bin/node ${NODE_FLAGS.join(' ')} bin/backstep.mjs start `,
    );
    expect(text).toMatch(/^StateDirectory=backstep/m);
    expect(text).toMatch(/^RestartPreventExitStatus=2$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(25);
    for (const section of ['Unit', 'Service', 'Install']) expect(text).toContain(`[${section}]\n`);
  });
});
