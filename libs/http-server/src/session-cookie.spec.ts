import { describe, expect, it } from '@jest/globals';
import { noSessionCookie, sessionCookie, sessionOf } from './session-cookie.js';

const HOST = { host: 'backstep.example:7070' };
const ASKED = { ...HOST, 'x-backstep-console': '1' };

describe('the session of a browser', () => {
  it('is taken from requests of the console alone', () => {
    const cookie = 'a=1; backstep_session_7070=bsk_x; b=2';
    expect(sessionOf({ headers: { ...ASKED, cookie } })).toBe('bsk_x');
    expect(sessionOf({ headers: { ...HOST, cookie } })).toBe('');
    expect(sessionOf({ headers: ASKED })).toBe('');
  });

  it('is not the one of another port of the host', () => {
    const cookie = 'backstep_session_7071=bsk_x; backstep_session=bsk_y';
    expect(sessionOf({ headers: { ...ASKED, cookie } })).toBe('');
    const headers = { ...ASKED, host: 'backstep.example', cookie };
    expect(sessionOf({ headers })).toBe('bsk_y');
  });

  it('is kept from scripts and other sites, and goes over TLS alone where there is TLS', () => {
    const plain = { headers: HOST, protocol: 'http' } as const;
    expect(sessionCookie(plain, 'bsk_x')).toBe(
      'backstep_session_7070=bsk_x; Path=/; HttpOnly; SameSite=Strict',
    );
    expect(sessionCookie({ ...plain, protocol: 'https' }, 'x')).toMatch(/; Secure$/);
    const behind = { ...plain, headers: { ...HOST, 'x-forwarded-proto': 'https' } };
    expect(sessionCookie(behind, 'x')).toMatch(/; Secure$/);
    expect(noSessionCookie(plain)).toMatch(/^backstep_session_7070=; .*; Max-Age=0$/);
  });
});
