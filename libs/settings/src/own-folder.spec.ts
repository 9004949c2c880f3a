import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadSettings, ownFolder, SettingsError } from './index.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'backstep-folders-'));
});

afterEach(() => {
  rmSync(cwd, { recursive: true });
});

describe('a folder of a setting', () => {
  it('is made with all that leads there, for this user alone', () => {
    const made = path.join(cwd, 'a', 'b');
    for (let times = 0; times < 2; times += 1) ownFolder('BACKSTEP_DATA', made);
    const modes = [made, path.dirname(made)].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700]);
  });

  it('is refused where none can be made', () => {
    const refused = /BACKSTEP_DATA: \/proc\/none\/below is no folder that can be written: ENOENT/;
    expect(() => ownFolder('BACKSTEP_DATA', '/proc/none/below')).toThrow(refused);
  });

  it.each(['FLOWS', 'SECRET_FILES', 'ARCHIVE'])('is no file: BACKSTEP_%s', (name) => {
    writeFileSync(path.join(cwd, 'file'), '');
    for (const value of ['file', 'file/below']) {
      const env = { BACKSTEP_RETENTION: '1d', [`BACKSTEP_${name}`]: value };
      const problem = `BACKSTEP_${name} (environment): "${value}": is not a folder`;
      const load = () => loadSettings({ mode: 'start', cwd, env });
      expect(load).toThrow(new SettingsError([problem]));
    }
  });
});
