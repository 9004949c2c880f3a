import { describe, expect, it } from '@jest/globals';
import { loadSettings, SettingsError } from '#settings';
import { MemorySecrets } from '#testing';
import { expectResolvers, openResolvers } from './secret-resolvers.js';

function settingsWith(env: Readonly<Record<string, string>>) {
  return loadSettings({ mode: 'start', cwd: '/nowhere', env });
}

const VAULT = { BACKSTEP_VAULT_URL: 'https://vault:8200', BACKSTEP_VAULT_TOKEN_FILE: '/run/token' };
const RULES = { BACKSTEP_SECRETS: 'mysql=vault:kv/*; http=file:api/*,env:HOME; own=memory:*' };

describe('the resolvers of a process', () => {
  it('are those of its settings, and its own', () => {
    const names = (env: Readonly<Record<string, string>>, own: readonly MemorySecrets[] = []) => {
      return openResolvers(settingsWith(env), own).map(({ name }) => name);
    };
    expect(names({})).toEqual(['env']);
    expect(names({ ...VAULT, BACKSTEP_SECRET_FILES: 'x' })).toEqual(['env', 'file', 'vault']);
    expect(names({}, [new MemorySecrets()])).toEqual(['env', 'memory']);
    expect(() => names({}, [new MemorySecrets('env')])).toThrow('are called env');
  });

  it('see the variables that are listed, and no other ones', async () => {
    const [env] = openResolvers(settingsWith(RULES));
    const { signal } = new AbortController();
    const ask = (path: string) =>
      env?.resolve({ reference: `env:${path}`, path, key: null }, signal);
    expect(await ask('HOME')).toBe(process.env['HOME']);
    await expect(ask('PATH')).rejects.toThrow('env:PATH');
  });

  it('are all there that a module of this process needs', () => {
    const settings = settingsWith(RULES);
    const resolvers = openResolvers(settings);
    const start = (...modules: readonly string[]) => {
      return () => expectResolvers(settings, resolvers, modules);
    };
    expect(start('monitor')).not.toThrow();
    expect(start('http')).toThrow('set BACKSTEP_SECRET_FILES');
    expect(start('mysql')).toThrow('set BACKSTEP_VAULT_URL and BACKSTEP_VAULT_TOKEN_FILE');
    expect(start('own')).toThrow(
      new SettingsError([
        'BACKSTEP_SECRETS: lists memory:, which nothing fetches here; there is env',
      ]),
    );
    const own = openResolvers(settings, [new MemorySecrets()]);
    expect(() => expectResolvers(settings, own, ['own'])).not.toThrow();
  });
});
