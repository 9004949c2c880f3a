import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from './repository.js';

const run = promisify(execFile);

/** Makes an admin's key in the store of a standalone Backstep in this folder; returns the key. */
export async function createKey(folder: string, name: string): Promise<string> {
  const store = `sqlite:${path.join(folder, 'data', 'backstep.db')}`;
  const program = path.join(REPOSITORY, 'bin', 'backstep.mjs');
  const argv = [program, 'key', 'create', name, '--admin', '--store', store, '--quiet'];
  const { HOME = '/', PATH = '' } = process.env;
  const bare = { cwd: folder, env: { HOME, PATH } };
  return (await run(process.execPath, argv, bare)).stdout.trim();
}
