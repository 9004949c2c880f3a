import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { readHosts } from './hosts-file.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-hosts-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(text: string): Promise<unknown> {
  const file = path.join(folder, 'hosts.json');
  await writeFile(file, text);
  return readHosts(file);
}

describe('a file of hosts', () => {
  it('has a list of them, or an object with one', async () => {
    const host = { host: 'a', cpu: 1, memory: 2, storage: 3 };
    expect(await read(JSON.stringify([host]))).toEqual([host]);
    expect(await read(`\uFEFF${JSON.stringify({ hosts: [host] })}`)).toEqual([host]);
  });

  it.each([
    [
      '[{"host":"a","cpu":1,"memory":2,"storage":3,"cpus":4}]',
      'entry 1: the member cpus is unknown',
    ],
    ['{"hosts":[{"host":"a","cpu":1,"memory":2,"storage":3}],"host":[]}', 'with `hosts` alone'],
  ])('of %s is refused, for a member that is not known', async (text, words) => {
    await expect(read(text)).rejects.toThrow(words);
  });

  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])(
    'of $text is told with its place',
    async (wrong) => {
      await expect(read(wrong.text)).rejects.toThrow(
        `hosts.json cannot be read as JSON: ${wrong.placed}`,
      );
    },
  );
});
