import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandName, usualUrl } from './usual-url.js';

const USUAL = 'http://127.0.0.1:7070';

describe('the usual address of Backstep', () => {
  it.each([
    [{}, USUAL],
    [{ BACKSTEP_HTTP: '127.0.0.1:18470' }, 'http://127.0.0.1:18470'],
    [{ BACKSTEP_HTTP: '18470' }, 'http://127.0.0.1:18470'],
    [{ BACKSTEP_HTTP: ':18470' }, 'http://127.0.0.1:18470'],
    [{ BACKSTEP_HTTP: '127.0.0.1:1', BACKSTEP_URL: 'http://a:2' }, 'http://a:2'],
    [{ BACKSTEP_HTTP: '0.0.0.0:8080' }, 'http://127.0.0.1:8080'],
    [{ BACKSTEP_HTTP: '[::]:8080' }, 'http://[::1]:8080'],
    [{ BACKSTEP_HTTP: 'a.example:443', BACKSTEP_TLS_CERT: 'c.pem' }, 'https://a.example:443'],
    [{ BACKSTEP_HTTP: 'unix:b.sock' }, 'unix:b.sock'],
    [{ BACKSTEP_HTTP: '127.0.0.1:0' }, USUAL],
    [{ BACKSTEP_HTTP: 'nonsense' }, USUAL],
  ])('with %j is %s', (env, url) => {
    expect(usualUrl(env)).toBe(url);
  });
});

describe('what is typed to run the command line', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-path-'));
    for (const at of ['global', 'clone/node_modules/.bin', 'empty']) {
      mkdirSync(path.join(folder, at), { recursive: true });
    }
    const file = process.platform === 'win32' ? 'backstep.cmd' : 'backstep';
    for (const at of ['global', 'clone/node_modules/.bin']) {
      writeFileSync(path.join(folder, at, file), '', { mode: 0o755 });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['is installed for all', ['empty', 'global'], 'backstep'],
    ['was found by npx alone', ['clone/node_modules/.bin', 'empty'], 'npx backstep'],
    ['is nowhere', ['empty'], 'npx backstep'],
  ])('where it %s', (_where, folders, typed) => {
    const PATH = folders.map((name) => path.join(folder, name)).join(path.delimiter);
    expect(commandName({ PATH })).toBe(typed);
  });

  it('does not depend on the folder that it is typed in', () => {
    expect(commandName({ PATH: `.${path.delimiter}${path.delimiter}bin` })).toBe('npx backstep');
    expect(commandName({})).toBe('npx backstep');
  });
});
