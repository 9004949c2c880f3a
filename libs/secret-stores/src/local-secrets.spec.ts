import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileSecrets } from './local-secrets.js';

let root = '';
let folder = '';
let resolver: FileSecrets;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'backstep-files-'));
  folder = path.join(root, 'secrets');
  await mkdir(path.join(folder, '..2026', 'db'), { recursive: true });
  await mkdir(path.join(root, 'secrets-of-others'));
  await writeFile(path.join(root, 'secrets-of-others', 'password'), 'of others');
  await writeFile(path.join(folder, '..2026', 'password'), 'mounted\n');
  // As Kubernetes mounts them: the files are links, by way of a folder that is replaced.
  await symlink('..2026', path.join(folder, '..data'));
  await symlink(path.join('..data', 'password'), path.join(folder, 'password'));
  await symlink(path.join('..', 'secrets-of-others'), path.join(folder, 'link'));
  await symlink(path.join(root, 'secrets-of-others', 'password'), path.join(folder, 'direct'));
  await symlink('round', path.join(folder, 'round'));
  resolver = new FileSecrets(folder);
});
afterAll(() => rm(root, { recursive: true }));

function fetch(name: string): Promise<string> {
  return resolver.resolve({ reference: `file:${name}`, path: name, key: null });
}

async function write(name: string, content: string | Buffer): Promise<string> {
  await writeFile(path.join(folder, name), content);
  return fetch(name);
}

describe('a secret in a file', () => {
  it.each([
    ['plain', 'plain'],
    ['one break\n', 'one break'],
    ['one break\r\n', 'one break'],
    ['two breaks\n\n', 'two breaks\n'],
    ['  spaces \n', '  spaces '],
    ['-----BEGIN\nKEY\n-----END\n', '-----BEGIN\nKEY\n-----END'],
    ['', ''],
  ])('is all of it but one line break at its end: %j', async (content, secret) => {
    expect(await write('content', content)).toBe(secret);
  });

  it('may be a link within the folder', async () => {
    expect(await fetch('password')).toBe('mounted');
  });

  it.each(['link/password', 'direct', 'link', '../secrets-of-others/password'])(
    'is never outside of the folder: %s',
    async (name) => {
      await expect(fetch(name)).rejects.toThrow('leads out of the folder');
    },
  );

  it.each(['missing', 'password/more', 'round', 'x'.repeat(300)])(
    'is not where there is none: %s',
    async (name) => {
      await expect(fetch(name)).rejects.toMatchObject({ name: 'SecretNotFound' });
    },
  );

  it('is no folder, has a bound, and is text', async () => {
    await expect(fetch('..2026')).rejects.toThrow('is no file');
    await expect(write('large', Buffer.alloc((1 << 20) + 1))).rejects.toThrow('larger than');
    await expect(write('bytes', Buffer.from([0xff, 0xfe]))).rejects.toThrow('UTF-8');
  });

  it('has no key', async () => {
    const place = { reference: 'file:password#key', path: 'password', key: 'key' };
    await expect(resolver.resolve(place)).rejects.toThrow('has a key');
  });
});
