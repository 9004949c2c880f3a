import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { packTar, TarDamaged, unpackTar } from './index.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'backstep-tar-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

type Files = Readonly<Record<string, Uint8Array>>;

function write(name: string, files: Files): string {
  const folder = path.join(home, name);
  mkdirSync(folder);
  for (const [file, bytes] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), bytes);
  }
  return folder;
}

function read(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name, parentPath }) => {
      const file = path.join(parentPath, name);
      return [path.relative(folder, file), new Uint8Array(readFileSync(file))];
    }),
  );
}

async function bytesOf(folder: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of packTar(folder)) parts.push(part);
  return Buffer.concat(parts);
}

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const names = fc
  .array(fc.stringMatching(/^[a-zé]([a-z-]{0,60}[a-z])?$/), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map((part, n) => `${n}${part}`).join('/'));
const fileSets = fc.dictionary(
  names.map((name) => `f${name}.db`),
  fc.uint8Array({ maxLength: 1_600 }),
  { maxKeys: 5 },
);

describe('a tar file', () => {
  it('gives back the same files, however its bytes are cut', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fileSets, fc.integer({ min: 1, max: 2_000 }), async (files, size) => {
        run += 1;
        const bytes = await bytesOf(write(`from-${run}`, files));
        const target = path.join(home, `to-${run}`);
        mkdirSync(target);
        await unpackTar(inParts(bytes, size), target);
        expect(read(target)).toEqual(files);
      }),
      fuzzBudget(100),
    );
  });

  it('is one that tar reads', async () => {
    const long = `${'a'.repeat(90)}/${'b'.repeat(90)}.db`;
    const files = { 'backstep.db': Buffer.alloc(5_000, 7), [long]: Buffer.from('x') };
    writeFileSync(path.join(home, 'all.tar'), await bytesOf(write('from', files)));
    mkdirSync(path.join(home, 'to'));
    execFileSync('tar', ['-xf', '../all.tar'], { cwd: path.join(home, 'to') });
    expect(read(path.join(home, 'to'))).toEqual({
      'backstep.db': new Uint8Array(files['backstep.db']),
      [long]: new Uint8Array([120]),
    });
  });

  it('is refused wherever it ends too early', async () => {
    const bytes = await bytesOf(write('from', { 'a.db': Buffer.alloc(700, 1) }));
    for (const length of [0, 100, 512, 900, 1_536, 1_700]) {
      const target = path.join(home, `to-${length}`);
      mkdirSync(target);
      const cut = inParts(bytes.subarray(0, length), 64);
      await expect(unpackTar(cut, target)).rejects.toThrow(TarDamaged);
    }
  });

  it.each(['../out.db', '/tmp/out.db', 'a/../../out.db'])(
    'leads nowhere else: %s',
    async (name) => {
      const bytes = await bytesOf(write('from', { 'abcdefghijklmnop.db': Buffer.from('x') }));
      bytes.fill(0, 0, 100);
      bytes.write(name, 0);
      bytes.fill(' ', 148, 156);
      const sum = bytes.subarray(0, 512).reduce((all, byte) => all + byte, 0);
      bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
      const target = path.join(home, 'to');
      mkdirSync(target);
      await expect(unpackTar(inParts(bytes, 512), target)).rejects.toThrow('leads out of');
      expect(read(target)).toEqual({});
    },
  );

  it('is refused where it is none', async () => {
    const noTar = inParts(Buffer.from('x'.repeat(2_000)), 512);
    await expect(unpackTar(noTar, home)).rejects.toThrow('no tar file');
  });
});
