import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { ArchiveDamaged, readArchive } from './index.js';
import { MANIFEST } from './manifest.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-archive-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Makes an archive of one file with these bytes, which its manifest agrees to. */
async function archiveOf(bytes: Buffer): Promise<void> {
  const content = gzipSync(bytes);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await writeFile(path.join(folder, 'a.jsonl.gz'), content);
  const entry = { v: 1, file: 'a.jsonl.gz', tasks: 1, sha256 };
  await writeFile(path.join(folder, MANIFEST), `${JSON.stringify(entry)}\n`);
}

async function read(): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const lines of readArchive(folder)) values.push(...lines.map(({ value }) => value));
  return values;
}

describe('a line of an archive', () => {
  it('may have what outputs of commands have', async () => {
    const line = '{"__proto__":{"a":"\\ud800"}}';
    await archiveOf(Buffer.from(`${line}\n`));
    expect((await read()).map((value) => JSON.stringify(value))).toEqual([line]);
  });

  it.each(WRONG_JSON.filter(({ text }) => !text.includes('\n')))(
    'is damaged as $text',
    async ({ pointer, text }) => {
      await archiveOf(Buffer.from(`${text}\n`));
      const reading = read();
      await expect(reading).rejects.toThrow(ArchiveDamaged);
      const words = pointer === undefined ? / is not JSON$/ : /: .* (twice|kept)\.$/;
      await expect(reading).rejects.toThrow(words);
    },
  );

  it('is damaged where it is not UTF-8', async () => {
    await archiveOf(Buffer.from([0x22, 0xc3, 0x22, 0x0a]));
    await expect(read()).rejects.toThrow('a.jsonl.gz is not UTF-8');
  });

  it('of the manifest counts for nothing where a member is there twice', async () => {
    await archiveOf(Buffer.from('{}\n'));
    const twice = '{"file":"b.jsonl.gz","file":"c.jsonl.gz","sha256":""}\n';
    await writeFile(path.join(folder, MANIFEST), twice);
    expect(await read()).toEqual([]);
  });
});
