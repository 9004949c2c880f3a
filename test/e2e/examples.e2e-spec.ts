import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, jest } from '@jest/globals';
import { REPOSITORY } from '../docs/pages.js';

jest.setTimeout(240_000);

const EXAMPLES = path.join(REPOSITORY, 'examples');
const runnable = readdirSync(EXAMPLES).filter((name) => existsSync(mainOf(name)));

it.each(runnable)('examples/%s prints what its expected.txt says', async (name) => {
  const entry = path.join(REPOSITORY, 'dist/examples', name, 'main.js');
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [entry]);
  const expected = readFileSync(path.join(EXAMPLES, name, 'expected.txt'), 'utf8');
  expect({ stdout, stderr }).toEqual({ stdout: expected, stderr: '' });
});

function mainOf(name: string): string {
  return path.join(EXAMPLES, name, 'main.ts');
}
