import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../stack/index.js';

const run = promisify(execFile);
const SOAK = path.join(REPOSITORY, 'dist/test/soak/main.js');
const WITHIN_MS = 280_000;

describe('the soak', () => {
  it('harms a standalone process for seconds, and says what came of it', async () => {
    const args = ['--minutes', '0.05', '--seed', '7', '--deployment', 'standalone'];
    const { stdout } = await run(process.execPath, [SOAK, ...args, '--profile', 'quick'], {
      timeout: WITHIN_MS,
    });
    expect(stdout).toMatch(/^seed 7, standalone, profile quick, 0\.05 minutes$/m);
    expect(stdout).toMatch(/^ {2}standalone: .+: back \d+ ms, recovered \d+ ms later$/m);
    expect(stdout).toMatch(/^blows [1-9]\d*, lost 0, stuck 0, wrong 0$/m);
    expect(stdout).toMatch(/^recovery over \d+ blows: p50 \d+ ms, p99 \d+ ms, max \d+ ms$/m);
    expect(stdout).toMatch(/^calls of a person \d+$/m);
    expect(stdout).toMatch(/^memory slope /m);
  }, 300_000);

  it('says how it is used', async () => {
    const wrong = run(process.execPath, [SOAK, '--minutes', 'many'], { timeout: WITHIN_MS });
    const usage = expect.stringContaining('usage: soak');
    await expect(wrong).rejects.toMatchObject({ code: 2, stderr: usage });
  }, 240_000);
});
