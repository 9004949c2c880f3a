import { describe, expect, it } from '@jest/globals';
import { usualUrl } from './usual-url.js';

const USUAL = 'http://127.0.0.1:7070';

describe('the usual address of Backstep', () => {
  it.each([
    [{}, USUAL],
    [{ BACKSTEP_HTTP: '127.0.0.1:18470' }, 'http://127.0.0.1:18470'],
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
