import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { entryOf } from '../stack/repository.js';

/** A disk that is always full, which not every system has. */
const FULL = '/dev/full';

(existsSync(FULL) ? it : it.skip)(
  'tells of a lost answer in the format of the answer',
  async () => {
    const full = openSync(FULL, 'w');
    const argv = [entryOf('cli'), 'completion', 'bash', '-o', 'json'];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', full, 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    closeSync(full);
    expect(code).toBe(7);
    expect(JSON.parse(said)).toMatchObject({ code: 'OUTPUT_NOT_WRITTEN', exitCode: 7 });
  },
);
