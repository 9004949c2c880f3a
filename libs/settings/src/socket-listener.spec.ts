import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { accessNotes, loadSettings, type Settings, SettingsError } from './index.js';

const cwd = path.resolve('/srv/backstep');

function load(env: Readonly<Record<string, string>>): Settings {
  return loadSettings({ mode: 'start', env, cwd });
}

describe('a listener that is a socket', () => {
  it.each([
    ['unix:.backstep/backstep.sock', path.join(cwd, '.backstep/backstep.sock')],
    ['unix:/run/backstep.sock', path.resolve('/run/backstep.sock')],
    [`unix:/${'a'.repeat(97)}`, path.resolve(`/${'a'.repeat(97)}`)],
  ])('%s is a path from the working directory on', (text, socket) => {
    expect(load({ BACKSTEP_HTTP: text }).http).toEqual({ socket });
  });

  it('is of this machine: it needs no authentication, and has no bounds', () => {
    const settings = load({ BACKSTEP_HTTP: 'unix:b.sock' });
    expect(settings).toMatchObject({ auth: null, ratePerKey: Infinity, openPerClient: Infinity });
    expect(accessNotes(settings)).toEqual([]);
    expect(accessNotes(load({ BACKSTEP_HTTP: 'unix:b.sock', BACKSTEP_AUTH: 'off' }))).toEqual([]);
  });

  it('has no certificate', () => {
    const tls = { BACKSTEP_TLS_CERT: 'c.pem', BACKSTEP_TLS_KEY: 'k.pem' };
    const start = (): Settings => load({ BACKSTEP_HTTP: 'unix:b.sock', ...tls });
    expect(start).toThrow(SettingsError);
    expect(start).toThrow('BACKSTEP_TLS_CERT: has no effect on a Unix socket');
  });
});
