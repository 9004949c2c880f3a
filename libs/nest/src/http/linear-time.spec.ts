import { describe, expect, it } from '@jest/globals';
import { expectLinear } from '../../../../test/linear/linear-time.js';
import { credentialOf } from './access-gate.js';
import { inexactNumbers } from './inexact-numbers.js';
import { describeSyntaxError, parseBody } from './json-body.js';
import { endOfText, placeOf } from './json-text.js';
import { QueryReader } from './query-reader.js';
import { findRepeatedMember } from './repeated-members.js';
import { requestIds } from './request-ids.js';
import { RouteTable } from './route-table.js';
import { sessionCookie, sessionOf } from './session-cookie.js';

/** Bodies that repeat one part, which a parser could read again and again. */
const BODIES: readonly (readonly [what: string, before: string, part: string, after: string])[] = [
  ['zeros inside a number', '{"a":1', '0', '1}'],
  ['zeros after a point', '{"a":0.', '0', '1}'],
  ['digits of a number', '[', '1', ']'],
  ['digits of an exponent', '[1e', '9', ']'],
  ['numbers that are not kept', '[', '12345678901234567891,', '1]'],
  ['numbers as long as may be', '[', `${'1'.repeat(309)},`, '1]'],
  ['points and signs', '["a",1234567890123456', '.-', ']'],
  ['digits in a text', '["', '1234567890', '"]'],
  ['escapes in a text', '["1234567890123456', '\\n', '"]'],
  ['escaped quotes', '["1234567890123456', '\\"', '"]'],
  ['backslashes', '["1234567890123456', '\\\\', '"]'],
  ['escaped quotes without an end', '["1234567890123456', '\\"', ''],
  ['texts', '[', '":",', '""]'],
  ['a member that was dropped, with escapes', '{"a":"', '\\"', '","a":1}'],
  ['a member that was dropped, with nesting', '{"a":', '[', ',"a":1}'],
  ['a member that was dropped, with colons', '{"a":"', ':', '","a":1}'],
  ['members', '{"x":{}', ',"a~":1', '}'],
  ['surrogates', '["\\u0041', '\ud83d\ude00', '"]'],
  ['spaces', '[', ' ', ']'],
  ['lines', '[', '\n', ']'],
  ['lines before a mistake', '[', '\n', 'x]'],
  ['spaces before a mistake', '[', ' ', 'x]'],
  ['mistakes', '[', 'x ', ']'],
  ['comments', '[', '/*', ']'],
  ['nesting', '', '[', ''],
  ['members without an end', '', '{"a":', ''],
];

describe('what is read of a request takes time in proportion to it', () => {
  it.each(BODIES)('a body of %s', (_what, ...[before, part, after]) => {
    const make = (size: number): Buffer => {
      return Buffer.from(`${before}${part.repeat(Math.ceil(size / part.length))}${after}`);
    };
    expectLinear({ make, read: parseBody, size: 120_000 });
  });

  it('its numbers, texts, repetitions and mistakes, each by itself', () => {
    const zeros = (size: number): string => `[1${'0'.repeat(size)}1]`;
    const quotes = (size: number): string => `"${'\\"'.repeat(size)}`;
    const lines = (size: number): string => '\n'.repeat(size);
    const twice = (size: number): string => `{"a":"${'\\"'.repeat(size)}:","a":1}`;
    expectLinear({ make: zeros, read: inexactNumbers, size: 120_000 });
    expectLinear({ make: quotes, read: (text) => endOfText(text, 0), size: 120_000 });
    expectLinear({ make: quotes, read: describeSyntaxError, size: 120_000 });
    expectLinear({ make: lines, read: (text) => placeOf(text, text.length), size: 120_000 });
    expectLinear({
      make: twice,
      read: (text) => findRepeatedMember(text, { a: 1 }),
      size: 120_000,
    });
  });

  it('its path', () => {
    const routes = new RouteTable();
    const urls = ['/v1/tasks', '/v1/tasks/:taskId([^:]+)::rollback', '/v1/tasks/:taskId([^:]+)/:b'];
    for (const url of urls) routes.add({ method: 'GET', url });
    for (const part of ['a', ':', '/', '%41', '%', ':rollback', '/v1/tasks']) {
      const make = (size: number): string => `/v1/tasks/${part.repeat(size / part.length)}`;
      expectLinear({ make, read: (path) => routes.methodsOf(path), size: 16_000 });
    }
  });

  it('its query', () => {
    const make = (size: number): object =>
      Object.fromEntries(Array.from({ length: size }, (_, i) => [`label.${i}`, ['x', 'y']]));
    const read = (query: object): void => {
      const reader = new QueryReader(query).expectOnly(['limit', 'flow'], 'label.');
      reader.withPrefix('label.');
      reader.finish();
    };
    expectLinear({ make, read, size: 600 });
    const readUnknown = (query: object): void => new QueryReader(query).expectOnly([]).finish();
    expectLinear({ make, read: readUnknown, size: 600 });
  });

  it.each(['a', ' ', '=', '==', '/', 'Bearer ', 'bsk_', '.', '; ', '\u00c3'])(
    'its credential, of %j',
    (part) => {
      for (const end of ['', ' ', '!']) {
        const make = (size: number): never => {
          const authorization = `Bearer ${part.repeat(size / part.length)}${end}`;
          return { headers: { authorization } } as never;
        };
        expectLinear({ make, read: credentialOf, size: 16_000 });
      }
    },
  );

  it.each([';', ' ', 'a=b; ', 'backstep_session', 'backstep_session_1=x;', ' ;'])(
    'its cookies, of %j',
    (part) => {
      const make = (size: number): never => {
        const cookie = part.repeat(size / part.length);
        return { headers: { cookie, host: 'a:1', 'x-backstep-console': '1' } } as never;
      };
      expectLinear({ make, read: sessionOf, size: 16_000 });
    },
  );

  it.each([':', '1', ':1', 'a'])('its host, of %j, for a cookie', (part) => {
    const make = (size: number): never =>
      ({ headers: { host: `${part.repeat(size / part.length)}x` }, protocol: 'http' }) as never;
    expectLinear({ make, read: (request) => sessionCookie(request, 'x'), size: 16_000 });
  });

  it('its id', () => {
    const idOf = requestIds('p');
    const make = (size: number): never =>
      ({ headers: { 'x-request-id': `${'a'.repeat(size)} ` } }) as never;
    expectLinear({ make, read: idOf, size: 16_000 });
  });
});

describe('a number in a body', () => {
  it('has at most 400 characters, and is refused at its place before it is read', () => {
    const taken = `{"a":\n ["1", 0.${'1'.repeat(398)}]}`;
    expect(parseBody(Buffer.from(taken))).toEqual(JSON.parse(taken));
    const refused = Buffer.from(`{"a":\n ["1", 0.${'1'.repeat(399)}]}`);
    expect(() => parseBody(refused)).toThrow(
      'Line 2, column 8: a number has more than 400 characters; write it as text.',
    );
  });

  it('may be as long as it likes within a text', () => {
    const text = JSON.stringify({ a: '1'.repeat(5_000), ['2'.repeat(5_000)]: 1 });
    expect(parseBody(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});
