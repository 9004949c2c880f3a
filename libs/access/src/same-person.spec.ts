import { describe, expect, it } from '@jest/globals';
import { boundPerson, isSamePerson, personOf } from './principal.js';

const ISSUER = 'https://login.example';

const key = (name: string, madeBy?: string) => ({
  name,
  keyId: `${name}-0123`,
  ...(madeBy !== undefined && { madeBy }),
});
const by = (way: 'certificate' | 'proxy', name: string) => ({ name, keyId: `${way}#${name}` });
/** A person with a token whose subject is good for one audience, or for all. */
const token = (sub: string, audience?: string) => {
  const keyId = `${ISSUER}#${sub}`;
  const bound = audience === undefined ? {} : { madeBy: boundPerson(keyId, audience) };
  return { name: `alice (${sub})`, keyId, ...bound };
};

describe('one person', () => {
  it.each([
    ['two keys of one name', key('ann'), { ...key('ann'), keyId: 'other' }],
    ['two keys of one maker', key('a', 'ann'), key('b', 'ann')],
    ['a key and its maker', key('a', 'ann'), key('ann')],
    [
      'a key made with a certificate, and the certificate',
      key('a', 'certificate#ann'),
      by('certificate', 'ann'),
    ],
    [
      'a key made with a certificate, and a key of its name',
      key('a', 'certificate#ann'),
      key('ann'),
    ],
    [
      'a key made with a certificate, and its name from a proxy',
      key('a', 'certificate#ann'),
      by('proxy', 'ann'),
    ],
    ['a certificate and its name from a proxy', by('certificate', 'ann'), by('proxy', 'ann')],
    ['a name from a proxy in another case', by('proxy', 'Ann@x'), by('proxy', 'ann@X')],
    ['two tokens of one subject', token('1'), { ...token('1'), name: 'bob (1)' }],
    [
      'a key made with a token, and the token',
      key('a', personOf(token('1', 'api'))),
      token('1', 'api'),
    ],
    ['subjects of two audiences', token('1', 'api'), token('2', 'console')],
    ['such subjects with a #', token('org#1', 'api'), token('x#2', 'console')],
    [
      'a key made with a token of another audience',
      key('a', personOf(token('1', 'api'))),
      token('2', 'console'),
    ],
  ])('may be behind %s', (_what, one, other) => {
    expect(isSamePerson(one, other)).toBe(true);
    expect(isSamePerson(other, one)).toBe(true);
  });

  it.each([
    ['keys of two names', key('ann'), key('ben')],
    ['keys of two makers', key('a', 'ann'), key('b', 'ben')],
    ['two subjects that are the same for all audiences', token('1'), token('2')],
    ['two subjects of one audience', token('1', 'api'), token('2', 'api')],
    ['a token and a certificate', token('1', 'api'), by('certificate', 'ann')],
    [
      'subjects of two issuers',
      token('1', 'api'),
      { ...token('2'), madeBy: boundPerson('https://b#2', 'console') },
    ],
  ])('is not behind %s', (_what, one, other) => {
    expect(isSamePerson(one, other)).toBe(false);
    expect(isSamePerson(other, one)).toBe(false);
  });
});
