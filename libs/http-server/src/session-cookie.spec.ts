import { describe, expect, it } from '@jest/globals';
import {
  noSessionCookie,
  sessionCookie,
  sessionOf,
  ticketCookie,
  ticketOf,
} from './session-cookie.js';

const HOST = { host: 'backstep.example:7070' };
type Heard = Parameters<typeof sessionOf>[0];

const heard = (headers: object, protocol: Heard['protocol'] = 'http'): Heard => ({
  headers: headers as Heard['headers'],
  protocol,
});

const ASKED = { ...HOST, 'x-backstep-console': '1' };

describe('the session of a browser', () => {
  it('is taken from requests of the console alone', () => {
    const cookie = 'a=1; backstep_session_7070=bsk_x; b=2';
    expect(sessionOf(heard({ ...ASKED, cookie }))).toBe('bsk_x');
    expect(sessionOf(heard({ ...HOST, cookie }))).toBe('');
    expect(sessionOf(heard(ASKED))).toBe('');
  });

  it('is not the one of another port of the host', () => {
    const cookie = 'backstep_session_7071=bsk_x; backstep_session=bsk_y';
    expect(sessionOf(heard({ ...ASKED, cookie }))).toBe('');
    const headers = { ...ASKED, host: 'backstep.example', cookie };
    expect(sessionOf(heard(headers))).toBe('bsk_y');
  });

  it('is kept from scripts and other sites', () => {
    expect(sessionCookie(heard(HOST), 'bsk_x')).toBe(
      'backstep_session_7070=bsk_x; Path=/; HttpOnly; SameSite=Strict',
    );
    expect(noSessionCookie(heard(HOST))).toMatch(/^backstep_session_7070=; .*; Max-Age=0$/);
  });

  it.each([
    ['of this process', HOST, 'https'],
    ['of a proxy', { ...HOST, 'x-forwarded-proto': 'https' }, 'http'],
  ] as const)('with the TLS %s goes over TLS alone, and no other host can set it', (...given) => {
    const [, headers, protocol] = given;
    const [name = '', ...attributes] = sessionCookie(heard(headers, protocol), 'x').split('; ');
    expect(name).toBe('__Host-backstep_session_7070=x');
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']);
    const ticket = ticketCookie(heard(headers, protocol), 't', 600);
    expect(ticket).toMatch(/^__Host-backstep_session_7070_ticket=t; Path=\/; .*; Secure$/);
    const asked = { ...headers, 'x-backstep-console': '1' };
    const others = 'backstep_session_7070=y; backstep_session_7070_ticket=z';
    expect(sessionOf(heard({ ...asked, cookie: others }, protocol))).toBe('');
    expect(ticketOf(heard({ ...asked, cookie: others }, protocol))).toBe('');
    expect(sessionOf(heard({ ...asked, cookie: `${others}; ${name}` }, protocol))).toBe('x');
  });
});
