import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonValue } from '#core';
import { referenceParts } from '#core/secrets';
import { VaultServer } from './vault-server-spec.js';
import { VaultSecrets } from './vault-secrets.js';

let vault: VaultServer;
let folder = '';
let resolver: VaultSecrets;

beforeEach(async () => {
  vault = await VaultServer.open();
  folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-vault-'));
  await writeFile(tokenFile(), 'first-token\n');
  vault.tokens.add('first-token');
  vault.secrets.set('db/main', { password: 'my-password', port: 3306 });
  resolver = new VaultSecrets({ url: `${vault.url}/`, tokenFile: tokenFile() });
});
afterEach(async () => {
  await vault.close();
  await rm(folder, { recursive: true });
});

function tokenFile(): string {
  return path.join(folder, 'token');
}

function fetch(reference: string, signal = new AbortController().signal): Promise<JsonValue> {
  const { key = null, path: place = '' } = referenceParts(reference) ?? {};
  return resolver.resolve({ reference, path: place, key }, signal);
}

/** The error of a fetch, which says nothing of what was fetched, and not the token. */
async function failure(reference = 'vault:kv/db/main#password'): Promise<Error> {
  const error = await fetch(reference).then(
    () => new Error('it was given'),
    (thrown: unknown) => thrown as Error,
  );
  expect(`${error.message}${String(error.cause)}`).not.toMatch(/my-|-token/);
  return error;
}

describe('a secret in Vault', () => {
  it('is a member of what is at a path, or all of it', async () => {
    expect(await fetch('vault:kv/db/main#password')).toBe('my-password');
    expect(await fetch('vault:kv/db/main#port')).toBe(3306);
    expect(await fetch('vault:kv/db/main')).toEqual({ password: 'my-password', port: 3306 });
    expect(vault.asked[0]).toEqual({ path: '/v1/kv/data/db/main', token: 'first-token' });
  });

  it('is asked for with another token once the first one is refused', async () => {
    await fetch('vault:kv/db/main#password');
    vault.tokens.clear();
    vault.tokens.add('second-token');
    expect((await failure()).name).toBe('SecretStoreAway');
    await writeFile(tokenFile(), 'second-token');
    expect(await fetch('vault:kv/db/main#password')).toBe('my-password');
    expect(vault.asked.map(({ token }) => token?.split('-')[0])).toEqual([
      'first',
      'first',
      'first',
      'second',
    ]);
  });

  it.each(['sealed', 'confused', 'elsewhere'] as const)(
    'is away while Vault is %s',
    async (mood) => {
      vault.mood = mood;
      expect((await failure()).name).toBe('SecretStoreAway');
    },
  );

  it('is away where nothing listens, or there is no token', async () => {
    await writeFile(tokenFile(), 'not a token');
    expect((await failure()).message).toContain('no token in it');
    await rm(tokenFile());
    expect((await failure()).message).toContain('cannot be read');
    resolver = new VaultSecrets({ url: 'http://127.0.0.1:1', tokenFile: tokenFile() });
    await writeFile(tokenFile(), 'first-token');
    expect((await failure()).name).toBe('SecretStoreAway');
  });

  it('is not asked for any more once the attempt is over', async () => {
    vault.mood = 'silent';
    const ending = new AbortController();
    const fetched = fetch('vault:kv/db/main', ending.signal).catch((error: Error) => error.name);
    ending.abort();
    expect(await fetched).toBe('SecretStoreAway');
  });

  it('is not there without a path in its mount, a path, or a key', async () => {
    for (const reference of ['vault:kv', 'vault:kv/none#a', 'vault:kv/db/main#none']) {
      const error = await failure(reference);
      expect(error.name).toBe('SecretNotFound');
      expect(error.message).toContain(reference);
    }
  });
});
