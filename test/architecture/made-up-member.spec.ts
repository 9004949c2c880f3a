import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../docs/pages.js';

/** The file of the product that a stored member needs besides the one that declares its type. */
const TABLE = 'libs/core/src/stored/task-members.js';

/** The last member of tables, and a member that is made up. */
const LINES: readonly (readonly [last: RegExp, line: string])[] = [
  [/^ +index: apart\(/m, 'colour: nullable(text),'],
  [/^ +steps: apart\(LIST\)/m, 'origin: optional(text),'],
  [/^ +expiresAt: nullable\(moment\(\)\),?(?=\s+\}, \[)/m, 'host: optional(text),'],
];

const MADE_UP = { colour: 'red', origin: 'half of \ud83d', hosts: ['h1', null] };

let folder: string;
let found: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-member-'));
  const filter = (file: string): boolean => !file.endsWith('.map');
  const libs = path.join(folder, 'dist/libs');
  await cp(path.join(REPOSITORY, 'dist/libs'), libs, { recursive: true, filter });
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
  const own = await readFile(path.join(REPOSITORY, 'package.json'), 'utf8');
  const { imports } = JSON.parse(own) as { readonly imports: object };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }));
  await addLines(path.join(folder, 'dist', TABLE));
  const script = path.join(folder, 'use.js');
  await cp(path.join(REPOSITORY, 'test/architecture/made-up-member/use.js.txt'), script);
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: folder });
  found = JSON.parse(stdout) as typeof found;
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function addLines(table: string): Promise<void> {
  let text = await readFile(table, 'utf8');
  for (const [last, line] of LINES) {
    const longer = text.replace(last, (member) => `${line}\n${member}`);
    if (longer === text) throw new Error(`no table ends with ${String(last)}`);
    text = longer;
  }
  await writeFile(table, text);
}

describe('a member of a task that is made up, by a line in the table alone', () => {
  it.each(['mongo', 'snapshot', 'archive'])('comes back as it was: %s', (medium) => {
    expect(found[medium]).toEqual(MADE_UP);
  });

  it('comes back from SQLite as the last commit wrote it', () => {
    expect(found['sqlite']).toEqual({ ...MADE_UP, colour: 'blue' });
  });

  it('is a member of documents, which updates set and remove', () => {
    expect(found['document']).toEqual(['red', 'half of \ufffdd83d', 'h1']);
    expect(found).toMatchObject({ update: 'blue', removal: { colour: '' } });
  });

  it('is not written where it says nothing', () => {
    expect(found['absent']).toEqual([false, false]);
  });

  it('is checked where it is read', () => {
    expect(found['fault']).toBe('colour is not a text or null');
  });
});
