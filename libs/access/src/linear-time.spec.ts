import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { expectLinear } from '../../../test/linear/linear-time.js';
import { readKey } from './key-ring.js';
import { AccessRules, bindingsOfClaims } from './bindings.js';
import { certificateName } from './client-certificates.js';
import { SealedTokens } from './signed-texts.js';
import { IdentityTokens } from './identity-tokens.js';
import { makeKey } from './key-order.js';
import { fitsPattern } from './pattern.js';
import { TextSeal } from './sealed-text.js';
import { readTicket } from './sign-in.js';
import { rolesIn } from './identity.js';

const SIZE = 120_000;
const PARTS = ['a', '0', '_', '-', ' ', '.', '*', '*a', 'bsk_', ',', '\u00e9'];

const filled =
  (part: string, before = '', after = '') =>
  (size: number): string =>
    `${before}${part.repeat(size / part.length)}${after}`;

describe('what is read of a credential takes time in proportion to it', () => {
  it.each(PARTS)('a key, of %j', (part) => {
    for (const before of ['bsk_', 'bsk_0123456789abcdef_', '']) {
      expectLinear({ make: filled(part, before, '!'), read: readKey, size: SIZE });
    }
  });

  it.each(PARTS)('a completion token, of %j', (part) => {
    const tokens = new SealedTokens({ keys: null, shared: 'secret' });
    const read = (text: string): unknown => tokens.read(text, { taskId: 't', run: 'r' });
    for (const before of ['bsc_n1_', 'bsc_n1', '']) {
      expectLinear({ make: filled(part, before), read, size: SIZE });
    }
  });

  it.each(PARTS)('a sealed text, of %j', (part) => {
    const seal = new TextSeal(['5a'.repeat(32)], 'secrets of tasks');
    const [, id] = seal.seal('', 'owner', 'a'.repeat(16)).split('.');
    for (const before of [`v2.${id}.`, 'v2.', '']) {
      const make = filled(part, before);
      expectLinear({ make, read: (text) => seal.unseal(text, 'owner'), size: SIZE });
      expectLinear({ make, read: (text) => seal.knowsKeyOf(text), size: SIZE });
    }
  });

  it.each(PARTS)('the ticket of a sign-in, of %j', (part) => {
    for (const before of ['1.', `1.${'s'.repeat(43)}.`, '']) {
      expectLinear({ make: filled(part, before, '!'), read: readTicket, size: SIZE });
    }
  });

  it.each(PARTS)('the claims of an identity token, of %j', (part) => {
    const path = 'a.b';
    const limits = { flows: null, labels: null, modules: null };
    const grants = [{ value: 'x*', role: 'viewer', ...limits }] as const;
    const rules = [null, grants].map((some) => new AccessRules(bindingsOfClaims(some)));
    for (const roles of [filled(part), (size: number) => filled(part)(size).split('')]) {
      const make = (size: number): object => ({ a: { b: roles(size) } });
      const read = (claims: object): unknown => {
        const groups = rolesIn(claims as never, path);
        const somebody = { way: 'oidc', subject: 's', groups } as const;
        return rules.map((rule) => [rule.rightsOf(somebody), rule.groupsThatCount(groups)]);
      };
      expectLinear({ make, read, size: SIZE });
    }
  });

  it.each([...PARTS, ', DNS:', '"', '\\"', ', DNS:"'])('names of a certificate, of %j', (part) => {
    for (const before of ['DNS:', 'DNS:"', '']) {
      const read = (text: string): unknown => certificateName(text, [text]);
      expectLinear({ make: filled(part, before), read, size: SIZE });
    }
  });

  it.each(PARTS)('the order of a key, of %j', (part) => {
    const secret = { id: '0'.repeat(16), secret: 's'.repeat(43) };
    const make = filled(part, 'a', '!');
    for (const member of ['name', 'role', 'flows', 'modules', 'expires']) {
      const read = (text: string): unknown =>
        makeKey({ name: 'n', role: 'viewer', [member]: text }, secret, 0);
      expectLinear({ make, read, size: SIZE });
    }
  });
});

it.each(['a', 'ab', 'aab'])(
  'whether a name fits a pattern of a given length takes time in proportion to the name: %j',
  (part) => {
    const pattern = `${'*aab'.repeat(25)}*!`;
    expectLinear({ make: filled(part), read: (text) => fitsPattern(pattern, text), size: SIZE });
  },
);

it('an identity token that is too long is refused unread', async () => {
  const clock = new ManualClock();
  let asked = 0;
  const tokens = new IdentityTokens({
    issuer: 'https://issuer.test',
    audience: 'backstep',
    rolesClaim: 'roles',
    rules: new AccessRules(bindingsOfClaims(null)),
    readJson: async () => {
      asked += 1;
      throw new Error('away');
    },
    clock,
    observer: { noticed: () => {} },
  });
  const header = Buffer.from('{"alg":"RS256","kid":"k"}').toString('base64url');
  const token = (length: number): string => `${header}.${'e'.padEnd(length, '0')}.c2ln`;
  expect(await tokens.find(token(8_192))).toBeNull();
  expect(asked).toBe(0);
  await tokens.find(token(100)).catch(() => null);
  expect(asked).toBeGreaterThan(0);
});
