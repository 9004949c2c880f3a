import { describe, expect, it } from '@jest/globals';
import { OriginRules } from './origin-rules.js';

function codeFor(
  rules: OriginRules,
  headers: Record<string, string>,
  { isVisit = false } = {},
): string | null {
  return rules.refusal({ headers }, isVisit)?.code ?? null;
}

const onLoopback = { listener: '127.0.0.1', hosts: [] };
const here = 'localhost:7070';

describe('a listener on loopback', () => {
  it.each(['localhost', 'LOCALHOST:7070', '127.0.0.1:1', '127.9.8.7', '[::1]', '[::1]:7070'])(
    'is asked by %s',
    (host) => expect(codeFor(new OriginRules(onLoopback), { host })).toBeNull(),
  );

  it.each([
    'evil.example',
    'evil.example:7070',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil',
    '0.0.0.0',
    '[::2]',
    '::1',
    '10.0.0.5',
    'localhost@evil.example',
    'localhost:7070:1',
    'localhost:x',
    '',
  ])('is not asked by %j', (host) => {
    expect(codeFor(new OriginRules(onLoopback), { host })).toBe('WRONG_HOST');
  });

  it('is not asked by nothing', () => {
    expect(codeFor(new OriginRules(onLoopback), {})).toBe('WRONG_HOST');
  });

  it('is asked by names that were set, and by its own', () => {
    const rules = new OriginRules({
      listener: '127.0.0.1',
      hosts: ['backstep.example', 'fe80::1'],
    });
    expect(codeFor(rules, { host: 'Backstep.Example:443' })).toBeNull();
    expect(codeFor(rules, { host: '[fe80::1]:7070' })).toBeNull();
    expect(codeFor(rules, { host: 'other.example' })).toBe('WRONG_HOST');
    const own = new OriginRules({ listener: 'box.local', hosts: ['x'] });
    expect(codeFor(own, { host: 'box.local' })).toBeNull();
  });

  it('is asked by one host, not two', () => {
    const rules = new OriginRules({ listener: '0.0.0.0', hosts: [] });
    expect(codeFor(rules, { host: 'localhost, evil.example' })).toBe('INVALID_REQUEST');
  });
});

describe('a listener beyond loopback', () => {
  const rebound = {
    host: 'evil.example:7070',
    origin: 'http://evil.example:7070',
    'sec-fetch-site': 'same-origin',
  };

  it.each(['0.0.0.0', '::', '10.1.2.3', 'box.local'])(
    'at %s that asks for no credentials is not asked by a foreign name',
    (listener) => {
      for (const hosts of [[], ['backstep.example']]) {
        const rules = new OriginRules({ listener, hosts });
        expect(codeFor(rules, rebound)).toBe('WRONG_HOST');
        for (const host of ['anything.example', '10.1.2.3.evil.example', '127.1', '2130706433']) {
          expect(codeFor(rules, { host })).toBe('WRONG_HOST');
        }
        expect(codeFor(rules, {})).toBe('WRONG_HOST');
      }
    },
  );

  it('that asks for credentials is asked by any host where none is set', () => {
    const rules = new OriginRules({ listener: '0.0.0.0', hosts: [], isAuthenticating: true });
    expect(codeFor(rules, { host: 'anything.example' })).toBeNull();
    expect(codeFor(rules, {})).toBeNull();
    const origin = 'http://evil.example';
    expect(codeFor(rules, { host: 'anything.example', origin })).toBe('FOREIGN_ORIGIN');
  });

  it.each([false, true])(
    'is asked by those that are set, by loopback and by addresses (credentials: %s)',
    (isAuthenticating) => {
      const hosts = ['backstep.example'];
      const rules = new OriginRules({ listener: '0.0.0.0', hosts, isAuthenticating });
      expect(codeFor(rules, { host: 'backstep.example' })).toBeNull();
      expect(codeFor(rules, { host: '127.0.0.1:7070' })).toBeNull();
      expect(codeFor(rules, { host: '10.1.2.3:7070' })).toBeNull();
      expect(codeFor(rules, { host: '[fd00::7]:7070' })).toBeNull();
      expect(codeFor(rules, { host: 'other.example' })).toBe('WRONG_HOST');
    },
  );

  it.each(['0.0.0.0', '10.1.2.3', 'box.local'])(
    'at %s is not asked by a page of another port of its own address',
    (listener) => {
      const rules = new OriginRules({ listener, hosts: [] });
      expect(codeFor(rules, { host: here, origin: `http://${listener}:7070` })).toBeNull();
      const origin = `http://${listener}:3000`;
      expect(codeFor(rules, { host: here, origin })).toBe('FOREIGN_ORIGIN');
    },
  );

  it('is not asked by a page of another address', () => {
    const rules = new OriginRules({ listener: '0.0.0.0', hosts: [] });
    const host = '10.1.2.3:7070';
    expect(codeFor(rules, { host, origin: 'http://10.1.2.3:7070' })).toBeNull();
    for (const origin of ['http://10.1.2.4:7070', 'http://10.1.2.3:3000', 'http://evil.example']) {
      expect(codeFor(rules, { host, origin })).toBe('FOREIGN_ORIGIN');
    }
  });
});

describe('a page', () => {
  const rules = new OriginRules({ listener: '127.0.0.1', hosts: ['backstep.example'] });

  it.each([
    [here, 'http://localhost:7070'],
    [here, 'http://127.0.0.1:7070'],
    ['[::1]:7070', 'http://[::1]:7070'],
    ['localhost', 'http://localhost'],
    ['localhost:80', 'http://localhost'],
    ['backstep.example', 'https://backstep.example'],
    [here, 'https://backstep.example'],
  ])('may ask %s from %s', (host, origin) => {
    expect(codeFor(rules, { host, origin })).toBeNull();
    expect(codeFor(rules, { host, origin, 'sec-fetch-site': 'same-origin' })).toBeNull();
  });

  it.each([
    'null',
    '',
    'http://evil.example',
    'http://localhost:3000',
    'http://localhost',
    'file://',
    'chrome-extension://abc',
    'http://localhost:7070.evil.example',
    'http://localhost:7070@evil.example',
    'http://backstep.example.evil',
  ])('may not ask from %j', (origin) => {
    expect(codeFor(rules, { host: here, origin })).toBe('FOREIGN_ORIGIN');
    expect(codeFor(rules, { host: here, origin }, { isVisit: true })).toBe('FOREIGN_ORIGIN');
  });

  it.each(['cross-site', 'same-site', 'nonsense'])('may not ask as %s', (site) => {
    expect(codeFor(rules, { host: here, 'sec-fetch-site': site })).toBe('FOREIGN_ORIGIN');
    const origin = 'http://localhost:7070';
    expect(codeFor(rules, { host: here, origin, 'sec-fetch-site': site })).toBe('FOREIGN_ORIGIN');
  });

  it('may lead a person to a page by a link', () => {
    const headers = { host: here, 'sec-fetch-site': 'cross-site' };
    expect(codeFor(rules, headers, { isVisit: true })).toBeNull();
    expect(codeFor(rules, { ...headers, host: 'evil' }, { isVisit: true })).toBe('WRONG_HOST');
  });

  it('that was good once makes no other one good', () => {
    const origin = 'http://localhost:7070';
    expect(codeFor(rules, { host: here, origin })).toBeNull();
    expect(codeFor(rules, { host: here, origin: 'http://evil.example' })).toBe('FOREIGN_ORIGIN');
    expect(codeFor(rules, { host: 'localhost:7071', origin })).toBe('FOREIGN_ORIGIN');
    expect(codeFor(rules, { host: 'evil.example', origin })).toBe('WRONG_HOST');
    expect(codeFor(rules, { host: here, origin })).toBeNull();
  });
});
