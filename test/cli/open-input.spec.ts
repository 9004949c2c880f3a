import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { entryOf } from '../stack/repository.js';

/** More than a pipe holds by itself. */
const LONG = ' '.repeat(1 << 20);

it('ends by one Ctrl-C while it waits for its input', async () => {
  const argv = [entryOf('cli'), 'flow', 'validate', '-'];
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  child.stdin.write(LONG);
  // It reads.
  await once(child.stdin, 'drain');
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
});
