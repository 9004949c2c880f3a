import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../stack/index.js';

const run = promisify(execFile);

describe('every tool of the workshop', () => {
  it.each(['bench', 'exhaustive', 'simulate', 'soak', 'stack'])(
    '%s says how it is used, and what it does not know',
    async (tool) => {
      const call = (flag: string) =>
        run('npm', ['run', '--silent', tool, '--', flag], { cwd: REPOSITORY });
      expect((await call('--help')).stdout).toMatch(/^usage: /);
      const refused = { code: 2, stderr: expect.stringMatching(/--unheard-of[^]*\nusage: /) };
      await expect(call('--unheard-of')).rejects.toMatchObject(refused);
    },
    60_000,
  );
});
