import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ManualClock } from '#testing';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { AccessRules, type Binding } from './bindings.js';
import { Callers } from './callers.js';
import { NoRoleGiven } from './identity.js';
import { isSamePerson, type Principal } from './principal.js';
import {
  ProxyRefused,
  ProxySecrets,
  proxySecretsIn,
  type SaidByProxy,
  TrustedProxy,
  UnfitActor,
  UnfitGroups,
} from './trusted-proxy.js';

const NONE = { flows: null, labels: null, modules: null };
const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];

function binding(to: 'group' | 'subject', pattern: string, more: Partial<Binding> = {}): Binding {
  return { ...NONE, role: 'viewer', to, pattern, way: null, ...more };
}

function given(bindings: readonly Binding[] = [binding('subject', '*')]) {
  const rules = new AccessRules(bindings);
  const secrets = new ProxySecrets([OLD]);
  const proxy = new TrustedProxy({ rules, secrets });
  const clock = new ManualClock();
  const callers = new Callers({ keys: null, tokens: null, proxy, rules, clock });
  return { callers, proxy, rules, secrets };
}

function said(more: Partial<SaidByProxy> = {}): SaidByProxy {
  return { secret: OLD, actor: 'alice@a.example', groups: '', ...more };
}

describe('a person that a proxy vouches for', () => {
  it('is the one it names, with the rights of the first binding that fits', () => {
    const { callers } = given([
      binding('group', 'x', { way: 'oidc', role: 'admin' }),
      binding('group', 'ops', { way: 'proxy', role: 'operator', flows: ['a-*'] }),
      binding('subject', 'alice*'),
    ]);
    const groups = 'x,  sre é , ops,';
    expect(callers.findByProxy(said({ groups }))).toMatchObject({
      ...{ name: 'alice@a.example', keyId: 'proxy#alice@a.example', role: 'operator' },
      ...{ flows: ['a-*'], somebody: { way: 'proxy', groups: ['x', 'sre é', 'ops'] } },
    });
    expect(callers.findByProxy(said())).toMatchObject({ role: 'viewer', flows: null });
  });

  it.each([
    ['"CN=ops,OU=x"', ['CN=ops,OU=x']],
    ['a, "b,c" ,d', ['a', 'b,c', 'd']],
    ['"a","a\\"b\\\\"', ['a', 'a"b\\']],
    ['CORP\\ops, ', ['CORP\\ops']],
    [', ,"",', []],
  ])('is in the groups that %s writes', (groups, names) => {
    expect(given().proxy.find(said({ groups }))?.somebody?.groups).toEqual(names);
  });

  it.each(['"a', '"a"b', 'a"b"', 'a,"b,c', '"a\\b"', '"a\\"'])(
    'is in no group where they cannot be told apart: %s',
    (groups) => {
      expect(() => given().proxy.find(said({ groups }))).toThrow(UnfitGroups);
    },
  );

  it('is in the groups that were written, whatever is in their names', () => {
    const group = fc.string({ unit: 'grapheme-ascii' }).filter((text) => text !== '');
    const written = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
    fc.assert(
      fc.property(fc.array(group), (names) => {
        const groups = names.map(written).join(',');
        expect(given().proxy.find(said({ groups }))?.somebody?.groups).toEqual(names);
      }),
      fuzzBudget(200),
    );
  });

  it('has no rights without a binding', () => {
    const { proxy } = given([binding('subject', 'bob'), binding('subject', '*', { way: 'mtls' })]);
    const refused = new NoRoleGiven('nothing gives alice@a.example a role here', 'proxy');
    expect(() => proxy.find(said())).toThrow(refused);
  });

  it.each(['api', 'backstep', 'flow', 'system', 'mysql-0123abcd'])(
    'cannot be called %s',
    (actor) => {
      const words = `the name ${actor} may be taken for a part of Backstep`;
      expect(() => given().proxy.find(said({ actor }))).toThrow(new NoRoleGiven(words, 'proxy'));
    },
  );

  it.each(['', 'alice (4f2c9a)', 'alice, bob', 'alice,bob', 'caf\u00e9', 'a\tb', 'a'.repeat(201)])(
    'cannot be called %j',
    (actor) => {
      expect(() => given().proxy.find(said({ actor }))).toThrow(UnfitActor);
    },
  );

  it('is nobody where the proxy names nobody', () => {
    expect(given().proxy.find(said({ actor: null }))).toBeNull();
  });

  it('and a key of the same name are one person', () => {
    const person = given().proxy.find(said({ actor: 'root' })) as Principal;
    const key: Principal = { ...NONE, name: 'root', role: 'admin', keyId: 'a'.repeat(16) };
    expect(isSamePerson(person, key)).toBe(true);
    expect(isSamePerson({ ...key, name: 'x', madeBy: 'proxy#root' }, person)).toBe(true);
    expect(isSamePerson(person, { ...key, name: 'x' })).toBe(false);
  });
});

describe('the secret of a proxy', () => {
  it.each(['', 'o', OLD.slice(1), `${OLD}o`, OLD.toUpperCase(), `${OLD}, ${OLD}`])(
    'is not %j',
    (secret) => {
      const { proxy } = given();
      expect(() => proxy.find(said({ secret }))).toThrow(ProxyRefused);
      expect(() => proxy.find(said({ secret, actor: null }))).toThrow(ProxyRefused);
    },
  );

  it('may be rotated: while there are two, both count', async () => {
    const { callers, proxy, secrets } = given();
    const before = proxy.find(said()) as Principal;
    secrets.replace([OLD, NEW]);
    const between = proxy.find(said({ secret: NEW })) as Principal;
    expect(proxy.find(said())).toMatchObject({ role: 'viewer' });
    expect(await Promise.all([before, between].map((one) => callers.isGood(one)))).toEqual([
      true,
      true,
    ]);
    secrets.replace([NEW]);
    expect(() => proxy.find(said())).toThrow(ProxyRefused);
    // A stream may have been opened with the one that was cut.
    expect(await callers.isGood(before)).toBe(false);
    expect(await callers.isGood(proxy.find(said({ secret: NEW })) as Principal)).toBe(true);
  });

  it('opens nothing any more once the bindings give other rights', async () => {
    const { callers, proxy, rules } = given();
    const person = proxy.find(said()) as Principal;
    rules.replace([binding('subject', '*', { role: 'operator' })]);
    expect(await callers.isGood(person)).toBe(false);
  });

  it('is one of one or two lines', () => {
    expect(proxySecretsIn(`\n ${OLD}\r\n`)).toEqual([OLD]);
    expect(proxySecretsIn(`${OLD}\n\n${NEW}`)).toEqual([OLD, NEW]);
  });

  it.each(['', '\n', 'o'.repeat(31), `${OLD}\nshort`, `# ${OLD}`, `${OLD}\n${NEW}\n${OLD}x`])(
    'is not in %j, and the reason quotes nothing',
    (text) => {
      const words =
        'must have one or two lines, each a secret of 32 to 1000 visible ASCII characters';
      expect(() => proxySecretsIn(text)).toThrow(new RangeError(words));
    },
  );
});

describe('a process that trusts a proxy', () => {
  it('keeps no groups of proxies in sessions of people who signed in at an issuer', () => {
    const { rules } = given([
      binding('group', 'a', { way: 'proxy' }),
      binding('group', 'b', { way: 'oidc' }),
      binding('group', 'c'),
    ]);
    expect(rules.groupsThatCount(['a', 'b', 'c'])).toEqual(['b', 'c']);
  });

  it('does not wait for an issuer', () => {
    const tokens = { find: async () => null, isReady: false };
    const { proxy } = given();
    const clock = new ManualClock();
    expect(new Callers({ keys: null, tokens, clock }).needsIssuer).toBe(true);
    expect(new Callers({ keys: null, tokens, proxy, clock }).needsIssuer).toBe(false);
  });
});
