import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { secretResolverContract } from '#testing';
import { EnvSecrets, FileSecrets } from './local-secrets.js';
import { VaultServer } from './vault-server-spec.js';
import { VaultSecrets } from './vault-secrets.js';

const LISTED = ['SECRET_1', 'one', 'two', 'three', 'missing', 'constructor', 'toString'];

secretResolverContract('env', async () => {
  let env: Record<string, string> = {};
  return {
    // A process gets its variables once, so that another value needs another process.
    resolver: { name: 'env', resolve: (place) => new EnvSecrets(LISTED, env).resolve(place) },
    hasKeys: false,
    put: async (place, secret) => {
      env = { ...env, [place.path]: secret };
    },
    close: async () => {},
  };
});

secretResolverContract('file', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-secrets-'));
  const own = path.join(folder, 'own');
  await mkdir(own);
  const away = path.join(folder, 'away');
  return {
    resolver: new FileSecrets(own),
    hasKeys: false,
    put: async (place, secret) => writeFile(path.join(own, place.path), secret),
    leave: () => rename(own, away),
    comeBack: () => rename(away, own),
    close: () => rm(folder, { recursive: true }),
  };
});

secretResolverContract('vault', async () => {
  const vault = await VaultServer.open();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-vault-'));
  const tokenFile = path.join(folder, 'token');
  await writeFile(tokenFile, 'a-token\n');
  vault.tokens.add('a-token');
  const resolver = new VaultSecrets({ url: vault.url, tokenFile });
  return {
    resolver: {
      name: 'vault',
      resolve: (place, signal) => resolver.resolve({ ...place, path: `kv/${place.path}` }, signal),
    },
    hasKeys: true,
    put: async ({ key, path: name }, secret) => {
      vault.secrets.set(name, { [key ?? '']: secret });
    },
    leave: async () => {
      vault.mood = 'sealed';
    },
    comeBack: async () => {
      vault.mood = 'well';
    },
    close: async () => {
      await vault.close();
      await rm(folder, { recursive: true });
    },
  };
});
