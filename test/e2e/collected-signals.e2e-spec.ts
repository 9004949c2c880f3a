import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../stack/index.js';

const run = promisify(execFile);
const PROGRAM = path.join(REPOSITORY, 'dist/test/alerts/collected-signals.js');

describe('a wait for somebody outside', () => {
  it('ends by its limit, however often memory is collected meanwhile', async () => {
    const { stdout } = await run(process.execPath, ['--expose-gc', PROGRAM]);
    const noAnswer = 'no answer within 0.5 s';
    expect(JSON.parse(stdout)).toEqual({
      sendSilent: ['the alert webhook cannot be reached: NO_ANSWER'],
      sendEndless: ['resolved'],
      readSilent: [noAnswer],
      readEndless: [noAnswer],
    });
  }, 240_000);
});
