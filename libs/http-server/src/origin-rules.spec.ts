import { describe, expect, it } from '@jest/globals';
import { OriginRules } from './origin-rules.js';

function codeFor(
  rules: OriginRules,
  headers: Record<string, string>,
  { isVisit = false, localAddress = '127.0.0.1' } = {},
): string | null {
  return rules.refusal({ headers, socket: { localAddress } }, isVisit)?.code ?? null;
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
  it('is asked by any host where none is set', () => {
    const rules = new OriginRules({ listener: '0.0.0.0', hosts: [] });
    expect(codeFor(rules, { host: 'anything.example' })).toBeNull();
    expect(codeFor(rules, {})).toBeNull();
    const origin = 'http://evil.example';
    expect(codeFor(rules, { host: 'anything.example', origin })).toBe('FOREIGN_ORIGIN');
  });

  it('is asked by those that are set, by loopback and by its address where one is', () => {
    const rules = new OriginRules({ listener: '0.0.0.0', hosts: ['backstep.example'] });
    expect(codeFor(rules, { host: 'backstep.example' })).toBeNull();
    expect(codeFor(rules, { host: '127.0.0.1:7070' })).toBeNull();
    expect(codeFor(rules, { host: '10.1.2.3:7070' }, { localAddress: '10.1.2.3' })).toBeNull();
    expect(codeFor(rules, { host: '10.1.2.4:7070' }, { localAddress: '10.1.2.3' })).toBe(
      'WRONG_HOST',
    );
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
