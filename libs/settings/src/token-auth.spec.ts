import { describe, expect, it } from '@jest/globals';
import { accessNotes, loadSettings, type Settings } from './index.js';

function load(env: Readonly<Record<string, string>>): Settings {
  return loadSettings({ mode: 'start', env: { BACKSTEP_AUTH: 'token', ...env }, cwd: '/srv' });
}

describe('a token of this machine', () => {
  it.each(['127.0.0.1:7070', 'localhost:0', '[::1]:80', 'unix:b.sock'])(
    'is taken by a listener at %s',
    (http) => {
      const settings = load({ BACKSTEP_HTTP: http });
      expect(settings.auth).toBe('token');
      expect(accessNotes(settings)).toEqual([]);
    },
  );

  it.each(['0.0.0.0:7070', '10.0.0.5:80'])('is refused for a listener at %s', (http) => {
    expect(() => load({ BACKSTEP_HTTP: http })).toThrow(
      'BACKSTEP_AUTH: token is for this machine alone, and BACKSTEP_HTTP is reached beyond it',
    );
  });

  it.each(['token,keys', 'keys,token', 'token,oidc'])('goes with nothing else: %s', (text) => {
    expect(() => load({ BACKSTEP_AUTH: text })).toThrow('must be off, token, or some of keys');
  });

  it('knows no two people apart', () => {
    expect(() => load({ BACKSTEP_APPROVALS: 'skip on * needs two' })).toThrow(
      'BACKSTEP_APPROVALS: with BACKSTEP_AUTH token two people cannot be told apart',
    );
  });
});
