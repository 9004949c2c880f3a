import { describe, it } from '@jest/globals';
import { expectLinear } from '../../../test/linear/linear-time.js';
import { credentialOf } from './access-gate.js';
import { checkType } from './json-body.js';
import { QueryReader } from './query-reader.js';
import { hidesWords, plainTarget, requestIds } from './request-head.js';
import { RouteTable } from './route-table.js';
import { sessionCookie, sessionOf } from './session-cookie.js';

describe('what is read of a request takes time in proportion to it', () => {
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

  it.each([';', ' ', ' ;', '; a=b', '; a="', '\\', '"'])('its media type, of %j', (part) => {
    const make = (size: number): never => {
      const type = `application/json; a="x"${part.repeat(size / part.length)}`;
      return { headers: { 'content-type': type } } as never;
    };
    const read = (request: never): void => {
      try {
        checkType(request, false);
      } catch {
        // Refused is as good.
      }
    };
    expectLinear({ make, read, size: 16_000 });
  });

  it.each(['%', '%7E', '%2e/', ':', '%3A', '/'])('its target, of %j', (part) => {
    const make = (size: number): string => `/v1/tasks/${part.repeat(size / part.length)}`;
    const read = (url: string): void => {
      plainTarget(url);
      hidesWords(url, '/v1/tasks/:taskId([^:]+)::rollback');
    };
    expectLinear({ make, read, size: 16_000 });
  });

  it('its id', () => {
    const idOf = requestIds('p');
    const make = (size: number): never =>
      ({ headers: { 'x-request-id': `${'a'.repeat(size)} ` } }) as never;
    expectLinear({ make, read: idOf, size: 16_000 });
  });
});
