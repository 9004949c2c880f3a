import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';

it('takes no version of Backstep for a project in Python, and makes no folder then', async () => {
  const folder = path.join(tmpdir(), `backstep-init-${process.pid}`);
  const { code, stderr } = await run(['init', folder, '--python', '--backstep', '0.1.0']);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toContain('--backstep');
  expect(existsSync(folder)).toBe(false);
});
