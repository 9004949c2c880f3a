import { describe, expect, it } from '@jest/globals';
import { loadSettings } from './load-settings.js';
import { parseSecretRules, resolversIn } from './secret-rules.js';

describe('the rules about secrets', () => {
  it('list references by module', () => {
    const text = 'mysql = vault:kv/mysql/*, file:db/root ; http=env:API_TOKEN,vault:kv/a#b;';
    const rules = parseSecretRules(text);
    expect(rules).toEqual([
      { module: 'mysql', secrets: ['vault:kv/mysql/*', 'file:db/root'] },
      { module: 'http', secrets: ['env:API_TOKEN', 'vault:kv/a#b'] },
    ]);
    expect([...resolversIn(rules)]).toEqual(['vault', 'file', 'env']);
    expect(parseSecretRules('m=own:*')).toEqual([{ module: 'm', secrets: ['own:*'] }]);
  });

  it.each([
    ' ',
    ';',
    'mysql',
    'mysql=',
    '=file:a',
    'My=file:a',
    'm=file:a,',
    'm=*',
    'm=file:../a',
    'm=file:a*b',
    'm=vault:kv/a#b*',
    'm=env:*',
    'm=env:API_*',
    'm=env:BACKSTEP_SECRET_KEY',
  ])('cannot be %j', (text) => {
    expect(() => parseSecretRules(text)).toThrow('write <module>=<reference>');
  });

  it('come with an address and a token, or with neither', () => {
    const load = (env: Record<string, string>) => () => {
      return loadSettings({ mode: 'start', env, cwd: '/nowhere' });
    };
    const url = 'https://vault:8200';
    expect(load({ BACKSTEP_VAULT_URL: url })).toThrow('BACKSTEP_VAULT_TOKEN_FILE: must be set');
    expect(load({ BACKSTEP_VAULT_URL: 'http://vault:8200' })).toThrow('must be a URL with https');
    const both = load({ BACKSTEP_VAULT_URL: url, BACKSTEP_VAULT_TOKEN_FILE: 'token' });
    expect(both()).toMatchObject({ vaultUrl: url, vaultTokenFile: '/nowhere/token' });
  });
});
