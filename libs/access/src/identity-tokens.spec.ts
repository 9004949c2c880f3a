import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { ManualClock, RecordingObserver, TokenIssuer, type TokenOrder } from '#testing';
import { AccessRules, bindingsOfClaims } from './bindings.js';
import { Callers } from './callers.js';
import { NoRoleGiven } from './identity.js';
import { IdentityTokens, type IdentityTokensOptions } from './identity-tokens.js';
import { IssuerUnavailable } from './issuer.js';
import { type TokenFault, TokenRefused } from './token-refused.js';
import { personOf } from './principal.js';

const VIEWER = { roles: ['viewer'] };
/** The claim names our roles. */
const NAMED = new AccessRules(bindingsOfClaims(null));

let issuer: TokenIssuer;
let clock: ManualClock;
let observer: RecordingObserver;

beforeEach(async () => {
  issuer = await TokenIssuer.open();
  clock = new ManualClock();
  observer = new RecordingObserver();
});
afterEach(() => issuer.close());

function tokens(more: Partial<IdentityTokensOptions> = {}): IdentityTokens {
  return new IdentityTokens({
    issuer: issuer.url,
    audience: 'backstep',
    rolesClaim: 'roles',
    rules: NAMED,
    readJson: TokenIssuer.readJson,
    clock,
    observer,
    ...more,
  });
}

/** The lines of the log about refused tokens. */
function linesOfRefusals() {
  return observer.notices.filter(({ name }) => name === 'token_refused');
}

/** A token of the present of the test. */
function made(order: TokenOrder = {}): Promise<string> {
  const at = Math.floor(clock.now() / 1_000);
  return issuer.token('f3a1', { at, claims: VIEWER, ...order });
}

describe('a token of the issuer', () => {
  it.each(['RS256', 'ES256', 'EdDSA'] as const)('signed with %s is taken', async (alg) => {
    const found = await tokens().find(await made({ alg }));
    expect(found).toMatchObject({ role: 'viewer', flows: null, labels: null, modules: null });
    expect(found?.keyId).toBe(`${issuer.url}#f3a1`);
  });

  it('tells a readable name and its subject, and nobody can play another one by a name', async () => {
    const named = (preferred_username: string): Promise<string> =>
      made({ claims: { ...VIEWER, preferred_username } });
    const ring = tokens();
    expect((await ring.find(await named('alice')))?.name).toBe('alice (f3a1)');
    expect((await ring.find(await named('root (admin)\u001b[2J')))?.name).toBe(
      'root admin?[2J (f3a1)',
    );
    expect((await ring.find(await named('x'.repeat(500))))?.name).toHaveLength(47);
    expect((await ring.find(await made()))?.name).toBe('(f3a1)');
    expect(personOf((await ring.find(await named('bob')))!)).toBe(`${issuer.url}#f3a1`);
  });

  it('names its owner by the claim that the deployment wants, and by no other', async () => {
    const ring = tokens({ subjectClaim: 'oid' });
    const found = await ring.find(await made({ claims: { ...VIEWER, oid: 'o-1' } }));
    expect(found).toMatchObject({ name: '(o-1)', keyId: `${issuer.url}#o-1` });
    expect(found?.somebody?.subject).toBe('o-1');
    for (const claims of [VIEWER, { ...VIEWER, oid: 7 }, { ...VIEWER, oid: ['o-1'] }]) {
      await expect(ring.find(await made({ claims }))).rejects.toThrow(TokenRefused);
    }
  });

  it.each([7, true, ['f3a1'], null, {}])('with the subject %j is not taken', async (sub) => {
    const token = await made({ claims: { ...VIEWER, sub } });
    await expect(tokens().find(token)).rejects.toThrow(TokenRefused);
  });

  it('is bound to its audience where another one may have other subjects', async () => {
    const found = await tokens({ boundTo: 'backstep' }).find(await made());
    expect(personOf(found!)).toBe(`${issuer.url}#f3a1 for backstep`);
  });

  it.each<[TokenFault, TokenOrder, string]>([
    ['audience', { audience: 'account' }, 'expected "backstep", given "account"'],
    ['issuer', { issuer: 'https://elsewhere.example' }, 'given "https://elsewhere.example"'],
    ['issuer', { issuer: 'https://else.example', kid: 'x' }, 'given "https://else.example"'],
    ['expired', { lifetime: -61 }, 'it has expired'],
    ['not yet valid', { notBefore: 1e11 }, 'it is not valid yet'],
    ['unknown key', { kid: 'u\u001b[2J' }, 'given "u\\u001b[2J"'],
  ])('is refused for its %s, and the log says why (%j)', async (fault, order, told) => {
    const ring = tokens();
    const token = await made(order);
    await expect(ring.find(token)).rejects.toMatchObject({ name: 'TokenRefused', fault });
    const [noticed] = linesOfRefusals();
    expect(noticed?.message).toContain(`(${fault})`);
    expect(noticed?.message).toContain(told);
  });

  it('tells the log of many refusals of a kind once a minute', async () => {
    const ring = tokens();
    const refuse = async (): Promise<void> => {
      const token = await made({ audience: 'other' });
      await expect(ring.find(token)).rejects.toThrow(TokenRefused);
    };
    for (let n = 0; n < 20; n += 1) await refuse();
    expect(linesOfRefusals()).toHaveLength(1);
    await clock.advance(60_000);
    await refuse();
    expect(linesOfRefusals()).toHaveLength(2);
  });

  it('with an unknown key is judged by nobody while the issuer does not answer', async () => {
    const ring = tokens();
    await ring.find(await made());
    issuer.isBroken = true;
    await clock.advance(30_000);
    for (let n = 0; n < 3; n += 1) {
      await expect(ring.find(await made({ kid: 'new' }))).rejects.toThrow(IssuerUnavailable);
    }
    expect(await ring.find(await made())).not.toBeNull();
    issuer.isBroken = false;
    await clock.advance(30_000);
    await expect(ring.find(await made({ kid: 'new' }))).rejects.toThrow(TokenRefused);
  });

  it('may be up to a minute wrong about the time', async () => {
    expect(await tokens().find(await made({ lifetime: -59 }))).not.toBeNull();
    const soon = Math.floor(clock.now() / 1_000) + 59;
    expect(await tokens().find(await made({ notBefore: soon }))).not.toBeNull();
  });

  it('without a signature is not taken', async () => {
    const unsigned = new UnsecuredJWT({ ...VIEWER })
      .setSubject('f3a1')
      .setIssuer(issuer.url)
      .setAudience('backstep')
      .setExpirationTime(1e11)
      .encode();
    await expect(tokens().find(unsigned)).rejects.toThrow(TokenRefused);
  });

  it('signed with the public key as if it were a secret is not taken', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(issuer.publicKey('RS256')));
    const forged = await new SignJWT({ ...VIEWER })
      .setProtectedHeader({ alg: 'HS256', kid: 'RS256-1' })
      .setSubject('f3a1')
      .setIssuer(issuer.url)
      .setAudience('backstep')
      .setExpirationTime(1e11)
      .sign(secret);
    await expect(tokens().find(forged)).rejects.toMatchObject({ fault: 'signature' });
  });

  it('that was changed is not taken, nor is what is none', async () => {
    const [head, , signature] = (await made()).split('.');
    const body = Buffer.from('{"sub":"f3a1","roles":["admin"]}').toString('base64url');
    const ring = tokens();
    const changed = ring.find(`${head}.${body}.${signature}`);
    await expect(changed).rejects.toMatchObject({ fault: 'signature' });
    await expect(ring.find('a.b.c')).rejects.toMatchObject({ fault: 'form' });
    for (const text of ['x', '.'.repeat(9_000)]) expect(await ring.find(text)).toBeNull();
  });

  it('is good for open streams until it is over', async () => {
    const callers = new Callers({ keys: null, tokens: tokens(), rules: NAMED, clock });
    const found = (await callers.find(await made({ lifetime: 10 })))!;
    expect(await callers.isGood(found)).toBe(true);
    await clock.advance(70_000);
    expect(await callers.isGood(found)).toBe(false);
  });
});

describe('what a token gives', () => {
  it.each([
    ['roles', { roles: ['viewer', 'operator', 'something'] }, 'operator'],
    ['roles', { roles: 'starter viewer' }, 'starter'],
    ['roles', { roles: ['worker', 'admin'] }, 'admin'],
    ['realm_access.roles', { realm_access: { roles: ['author'] } }, 'author'],
    ['https://a.example/roles', { 'https://a.example/roles': ['viewer'] }, 'viewer'],
  ])('is the strongest role that the claim %s names', async (rolesClaim, claims, role) => {
    expect(await tokens({ rolesClaim }).find(await made({ claims }))).toMatchObject({ role });
  });

  it.each([{}, { roles: ['root'] }, { roles: 5 }, { roles: [['admin']] }, { roles: null }])(
    'is nothing where it names none: %j',
    async (claims) => {
      await expect(tokens().find(await made({ claims }))).rejects.toThrow(NoRoleGiven);
    },
  );

  it('does not come from what every object has', async () => {
    const claims = { roles: ['viewer'] };
    const ring = tokens({ rolesClaim: 'constructor.name' });
    await expect(ring.find(await made({ claims }))).rejects.toThrow(NoRoleGiven);
  });

  it('is the first grant that fits, with its limits, and no role that the claim names', async () => {
    const grant = { role: 'operator', flows: ['a-*'], labels: { t: 'b' }, modules: null } as const;
    const rest = { role: 'viewer', flows: null, labels: null, modules: null } as const;
    const grants = [
      { value: 'ops', ...grant },
      { value: 'all', ...rest },
    ];
    const ring = tokens({ rules: new AccessRules(bindingsOfClaims(grants)) });
    const both = await made({ claims: { roles: ['all', 'admin', 'ops'] } });
    expect(await ring.find(both)).toMatchObject(grant);
    const none = await made({ claims: { roles: ['admin'] } });
    await expect(ring.find(none)).rejects.toThrow(NoRoleGiven);
  });
});

describe('the keys of the issuer', () => {
  it('are read once for many tokens, and again after ten minutes', async () => {
    const ring = tokens();
    const some = await Promise.all(Array.from({ length: 20 }, () => made()));
    await Promise.all(some.map((text) => ring.find(text)));
    expect(issuer.asked.keys).toBe(1);
    await clock.advance(600_000);
    const asked = issuer.nextAsk();
    expect(await ring.find(await made())).not.toBeNull();
    await asked;
    expect(issuer.asked).toEqual({ discovery: 2, keys: 2 });
  });

  it('may change at any time: a new name has them read again', async () => {
    const ring = tokens();
    await ring.find(await made());
    const old = await made();
    await issuer.rotate();
    await clock.advance(30_000);
    expect(await ring.find(await made())).not.toBeNull();
    await expect(ring.find(old)).rejects.toMatchObject({ fault: 'unknown key' });
    expect(issuer.asked.keys).toBe(2);
  });

  it('are read once in 30 seconds, however many names nobody knows', async () => {
    const ring = tokens();
    await ring.find(await made());
    await clock.advance(30_000);
    for (let n = 0; n < 200; n += 1) {
      const token = await made({ kid: `flood-${n}` });
      await expect(ring.find(token)).rejects.toThrow(TokenRefused);
    }
    expect(issuer.asked.keys).toBe(2);
    expect(await ring.find(await made())).not.toBeNull();
  });

  it('stay good while the issuer is away', async () => {
    const ring = tokens();
    await ring.find(await made());
    issuer.isBroken = true;
    await clock.advance(86_400_000);
    expect(await ring.find(await made())).not.toBeNull();
    await clock.advance(86_400_000);
    expect(await ring.find(await made())).not.toBeNull();
    expect(ring.isReady).toBe(true);
    await observer.tells('issuer_unavailable');
  });

  it('that were never read leave every token unjudged, until they are', async () => {
    issuer.isBroken = true;
    const ring = tokens();
    await expect(ring.find(await made())).rejects.toThrow(IssuerUnavailable);
    issuer.isBroken = false;
    await expect(ring.find(await made())).rejects.toThrow(IssuerUnavailable);
    await clock.advance(2_000);
    expect(await ring.find(await made())).not.toBeNull();
  });

  it.each<[string, object]>([
    ['in clear beyond loopback', { jwks_uri: 'http://keys.example/' }],
    ['at no address', { jwks_uri: 5 }],
    ['of another issuer', { issuer: 'https://elsewhere.example' }],
  ])('%s are not believed', async (_what, wrong) => {
    issuer.discovery = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...wrong };
    await expect(tokens().find(await made())).rejects.toThrow(IssuerUnavailable);
    expect(issuer.asked.keys).toBe(0);
  });
});
