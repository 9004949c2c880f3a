import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { AccessRules, type Binding, bindingsOfClaims, bindingsOfNames } from './bindings.js';
import { Callers } from './callers.js';
import {
  certificateName,
  CertificateRefused,
  ClientCertificates,
  type ShownCertificate,
} from './client-certificates.js';
import { NoRoleGiven } from './identity.js';
import { isSamePerson, type Principal } from './principal.js';

const NONE = { flows: null, labels: null, modules: null };

function shownBy(more: Partial<ShownCertificate> = {}): ShownCertificate {
  const commonNames = ['ci.example'];
  const goodUntil = 2_000_000_000_000;
  return { alternatives: '', commonNames, goodUntil, fault: null, isCurrent: true, ...more };
}

function given(grants = [{ ...NONE, value: '*', role: 'viewer' as const }]) {
  const clock = new ManualClock();
  const rules = new AccessRules(bindingsOfNames(grants));
  const certificates = new ClientCertificates({ rules, clock });
  const callers = new Callers({ keys: null, tokens: null, certificates, rules, clock });
  return { callers, certificates, clock, rules };
}

describe('the name in a certificate', () => {
  it.each([
    ['DNS:a.example, URI:spiffe://prod/a, email:x@y', ['cn'], 'uri spiffe://prod/a'],
    ['email:x@y.example, DNS:a.example, DNS:b.example', ['cn'], 'dns a.example'],
    ['IP Address:10.0.0.1, email:x@y.example', ['cn'], 'email x@y.example'],
    ['', ['ci'], 'cn ci'],
    ['', ['system:ci'], 'cn system:ci'],
    ['IP Address:10.0.0.1', ['admin'], null],
    ['IP Address:10.0.0.1, DirName:"CN = a, O = b"', ['cn'], null],
    ['Registered ID:1.2.3', ['admin'], null],
    ['URI:admin', ['cn'], null],
    ['DNS:spiffe://prod/a', ['cn'], null],
    ['DNS:x@y.example', ['cn'], null],
    ['email:admin', ['cn'], null],
    ['', ['spiffe://prod/a'], null],
    ['', [], null],
    ['', ['one', 'two'], null],
    ['', ['Alice (4f2c9a)'], null],
    ['', ['a'.repeat(201)], null],
    ['', ['caf\u00e9'], null],
    ['DNS:"a, URI:spiffe://prod/admin"', ['cn'], null],
    ['DNS:"a\\", URI:spiffe://prod/admin', ['cn'], null],
    ['DNS:a, , URI:b', ['cn'], null],
    ['no entry', ['cn'], null],
  ])('of %j and %j is %j', (alternatives, commonNames, name) => {
    const found = certificateName(alternatives, commonNames);
    expect(found && `${found.kind} ${found.name}`).toBe(name);
  });
});

describe('a pattern for names in certificates', () => {
  const NAMES = {
    uri: 'spiffe://prod/ops/ann',
    dns: 'ops.example',
    email: 'ops@a.example',
    cn: 'ops',
  } as const;
  type Kind = keyof typeof NAMES;

  const kindsOf = (value: string, names: Readonly<Record<Kind, string>>): readonly string[] => {
    const rules = new AccessRules(bindingsOfNames([{ ...NONE, value, role: 'viewer' }]));
    return Object.entries(names).flatMap(([kind, subject]) => {
      const somebody = { way: 'mtls', kind: kind as Kind, subject, groups: [] } as const;
      return rules.rightsOf(somebody) === null ? [] : [kind];
    });
  };

  it.each([
    ['*', 'uri dns email cn'],
    ['spiffe://prod/ops/*', 'uri'],
    ['*prod/*', 'uri'],
    ['*ops*', 'dns cn'],
    ['ops.example', 'dns'],
    ['ops', 'cn'],
    ['*@a.example', 'email'],
    ['uri:*', 'uri'],
    ['dns:*', 'dns'],
    ['email:*ops*', 'email'],
    ['cn:ops', 'cn'],
    ['cn:*', 'cn'],
    ['dns:ops', ''],
  ])('%s is for %s', (value, kinds) => {
    expect(kindsOf(value, NAMES).join(' ')).toBe(kinds);
  });

  it.each([
    ['admin', 'dns cn'],
    ['dns:admin', 'dns'],
    ['cn:admin', 'cn'],
    ['a@b', 'email cn'],
    ['urn:a', 'uri cn'],
    ['spiffe://a', 'uri'],
  ])('%s is for %s of that name', (value, kinds) => {
    const name = value.replace(/^(?:dns|cn):/, '');
    const names = { uri: name, dns: name, email: name, cn: name };
    expect(kindsOf(value, names).join(' ')).toBe(kinds);
  });
});

describe('a certificate', () => {
  it('is of whoever it names', () => {
    expect(given().certificates.find(shownBy())).toMatchObject({
      ...{ name: 'ci.example', keyId: 'certificate#ci.example', role: 'viewer' },
      ...{ goodUntil: 2_000_000_000_000, somebody: { way: 'mtls', groups: [] } },
    });
  });

  it.each([
    [{ fault: 'CERT_HAS_EXPIRED' }, 'it has expired'],
    [{ fault: 'CERT_NOT_YET_VALID' }, 'it is not valid yet'],
    [{ fault: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'no authority that is known here has signed it'],
    [{ isCurrent: false }, 'the authorities have changed: connect again'],
    [{ goodUntil: 1_800_000_000_000 }, 'it has expired'],
    [{ goodUntil: NaN }, 'it has expired'],
  ])('with %j is not taken', (more, message) => {
    const refused = new CertificateRefused(message);
    expect(() => given().certificates.find(shownBy(more))).toThrow(refused);
  });

  it.each(['api', 'backstep', 'flow', 'system', 'mysql-0123abcd'])(
    'with the name %s is nobody',
    (name) => {
      const find = () => given().certificates.find(shownBy({ commonNames: [name] }));
      expect(find).toThrow(new NoRoleGiven(`the name ${name} may be taken for a part of Backstep`));
    },
  );

  it('that nothing grants a role is refused', () => {
    const { certificates } = given([{ ...NONE, value: 'other', role: 'viewer' }]);
    expect(() => certificates.find(shownBy())).toThrow('nothing gives ci.example a role here');
  });

  it('is good for what is open until it is over, is stale, or gives other rights', async () => {
    const { callers, certificates, clock, rules } = given();
    const shown = { ...shownBy({ goodUntil: clock.now() + 1_000 }) };
    const principal = certificates.find(shown);
    const narrowed: Binding = { ...NONE, role: 'viewer', to: 'subject', pattern: '*', way: null };
    expect(await callers.isGood(principal)).toBe(true);
    rules.replace([{ ...narrowed, flows: ['a'] }]);
    expect(await callers.isGood(principal)).toBe(false);
    rules.replace([narrowed]);
    expect(await callers.isGood(principal)).toBe(true);
    const stale = { ...principal, shown: { isCurrent: false } };
    expect(await callers.isGood(stale)).toBe(false);
    await clock.advance(1_000);
    expect(await callers.isGood(principal)).toBe(false);
  });

  it('and a key of its name are one person, and so is a key that it made', () => {
    const certificate = given().certificates.find(shownBy());
    const key = (name: string, madeBy?: string): Principal => {
      const made = madeBy === undefined ? {} : { madeBy };
      return { ...NONE, name, role: 'admin', keyId: 'a'.repeat(16), ...made };
    };
    expect(isSamePerson(certificate, key('ci.example'))).toBe(true);
    expect(isSamePerson(key('other', 'certificate#ci.example'), certificate)).toBe(true);
    expect(isSamePerson(certificate, key('other'))).toBe(false);
  });
});

describe('bindings', () => {
  const claims = bindingsOfClaims([
    { ...NONE, value: 'team-*', role: 'operator' },
    { ...NONE, value: 'all', role: 'viewer', flows: ['a-*'] },
  ]);
  const names = bindingsOfNames([{ ...NONE, value: 'all', role: 'admin' }]);
  const rules = new AccessRules([...names, ...claims]);

  it('fit by the way in which somebody is known, the first one first', () => {
    const token = { way: 'oidc', subject: 'all', groups: ['x', 'all', 'team-a'] } as const;
    expect(rules.rightsOf(token)).toMatchObject({ role: 'operator' });
    expect(rules.rightsOf({ ...token, groups: ['all'] })).toMatchObject({ flows: ['a-*'] });
    expect(rules.rightsOf({ ...token, groups: [] })).toBeNull();
    const certificate = { way: 'mtls', kind: 'cn', subject: 'all', groups: [] } as const;
    expect(rules.rightsOf(certificate)).toMatchObject({ role: 'admin', flows: null });
  });

  it('tell which groups count, in their order', () => {
    const groups = ['x', 'all', 'team-b', 'team-a', 'all'];
    expect(rules.groupsThatCount(groups)).toEqual(['team-b', 'team-a', 'all']);
  });
});
