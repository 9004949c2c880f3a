import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RoleGrant } from '#ports';
import { ManualClock, TokenIssuer, type TokenOrder } from '#testing';
import { AccessRules, bindingsOfClaims } from './bindings.js';
import { Callers } from './callers.js';
import { ConsoleSessions, type ConsoleSessionsOptions } from './console-sessions.js';
import { NoRoleGiven } from './identity.js';
import { IdentityTokens } from './identity-tokens.js';
import { IssuerUnavailable } from './issuer.js';
import {
  codesOf,
  type FormAnswer,
  type SentForm,
  SignIn,
  type SignInAnswer,
  SignInFailed,
  ticketText,
  TooManySignIns,
} from './sign-in.js';

const CALLBACK = 'http://127.0.0.1:7070/v1/session/oidc/callback';
const PAGE = '/console/tasks?q=a';
const SHARED = 'of the deployment';
/** The claim names our roles. */
const NAMED = new AccessRules(bindingsOfClaims(null));

const grantedBy = (grants: readonly RoleGrant[]) => ({
  rules: new AccessRules(bindingsOfClaims(grants)),
});

let issuer: TokenIssuer;
let clock: ManualClock;
let tokens: IdentityTokens;
let sessions: ConsoleSessions;

beforeEach(async () => {
  issuer = await TokenIssuer.open();
  clock = new ManualClock();
  tokens = new IdentityTokens({
    issuer: issuer.url,
    audience: 'backstep',
    rolesClaim: 'roles',
    rules: NAMED,
    readJson: TokenIssuer.readJson,
    clock,
    observer: { noticed: () => {} },
  });
  sessions = sessionsWith();
  issuer.desk.order = order();
});
afterEach(() => issuer.close());

let made = 0;
const newSecret = (): string => {
  made += 1;
  return createHash('sha256').update(String(made)).digest('base64url');
};

function sessionsWith(more: Partial<ConsoleSessionsOptions> = {}): ConsoleSessions {
  const { id: clientId, secret: clientSecret } = issuer.desk.client;
  return new ConsoleSessions({
    issuer: issuer.url,
    clientId,
    clientSecret,
    sharedSecret: SHARED,
    rolesClaim: 'roles',
    rules: NAMED,
    lifetimeMs: 3_600_000,
    clock,
    newSecret,
    ...more,
  });
}

/** An ID token of the present of the test. */
function order(more: TokenOrder = {}): TokenOrder {
  return { at: Math.floor(clock.now() / 1_000), claims: { roles: ['viewer'] }, ...more };
}

async function send({ fields, headers, url }: SentForm): Promise<FormAnswer> {
  const body = new URLSearchParams(fields);
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.json() };
}

function desk(sendForm: (form: SentForm) => Promise<FormAnswer> = send): SignIn {
  const { id: clientId, secret: clientSecret } = issuer.desk.client;
  const client = { issuer: issuer.url, clientId, clientSecret, scopes: 'openid profile' };
  return new SignIn({
    ...client,
    sharedSecret: SHARED,
    tokens,
    sessions,
    sendForm,
    newSecret,
    clock,
  });
}

/** The parameters that a provider has sent a browser back with. */
function answerIn(address: string): SignInAnswer {
  const found = new URL(address).searchParams;
  const read = (name: string): string | undefined => found.get(name) ?? undefined;
  return { code: read('code'), state: read('state'), error: read('error'), iss: read('iss') };
}

interface Came {
  readonly signIn: SignIn;
  readonly ticket: string;
  readonly answer: SignInAnswer;
}

/** A person goes to the provider, and is sent back. */
async function comeBack(signIn = desk()): Promise<Came> {
  const { location, ticket } = await signIn.begin(CALLBACK, PAGE);
  return { signIn, ticket, answer: answerIn(issuer.desk.letIn(location)) };
}

/** Whether a sign-in fails with this reason. */
async function expectFailed(finishing: Promise<unknown>, reason: RegExp): Promise<void> {
  const error: unknown = await finishing.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SignInFailed);
  expect((error as Error).message).toMatch(reason);
}

describe('somebody who signs in', () => {
  it('is sent to the provider with nothing that tells what the browser keeps', async () => {
    const { location, ticket } = await desk().begin(CALLBACK, PAGE);
    const { origin, pathname, searchParams } = new URL(location);
    expect(`${origin}${pathname}`).toBe(`${issuer.url}/authorize`);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'backstep-console',
      redirect_uri: CALLBACK,
      scope: 'openid profile',
      code_challenge_method: 'S256',
    });
    for (const value of searchParams.values()) expect(ticket).not.toContain(value);
    const again = await desk().begin(CALLBACK, PAGE);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(new URL(again.location).searchParams.get(name)).not.toBe(searchParams.get(name));
    }
  });

  it('has a session with the rights that a token gives, and comes back to the page', async () => {
    issuer.desk.order = order({ claims: { roles: ['operator'], preferred_username: 'alice' } });
    const { answer, signIn, ticket } = await comeBack();
    const { principal, returnTo, session } = await signIn.finish(ticket, CALLBACK, answer);
    expect(returnTo).toBe(PAGE);
    expect(principal).toMatchObject({
      name: 'alice (f3a1)',
      role: 'operator',
      keyId: `${issuer.url}#f3a1`,
    });
    const callers = new Callers({ keys: null, tokens, sessions, rules: NAMED, clock });
    expect(await callers.find(session)).toMatchObject(principal);
    expect(session.length).toBeLessThan(1_000);
  });

  it('shows the secret of the client in the form where the provider wants it there', async () => {
    const form: SentForm[] = [];
    issuer.discovery = {
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/keys`,
      authorization_endpoint: `${issuer.url}/authorize`,
      token_endpoint: `${issuer.url}/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
    const came = await comeBack(desk(async (sent) => (form.push(sent), await send(sent))));
    await came.signIn.finish(came.ticket, CALLBACK, came.answer).catch(() => null);
    expect(form[0]?.headers).toEqual({});
    expect(form[0]?.fields).toMatchObject({ client_secret: issuer.desk.client.secret });
  });
});

/** With all that a ticket says, and the state that belongs to it. */
function ticketOfAnyone({ answer }: Came): Partial<Came> {
  const ticket = { at: clock.now(), secret: 's'.repeat(43), returnTo: '//elsewhere.example/' };
  const { state } = codesOf(ticket);
  return { ticket: ticketText(ticket), answer: { ...answer, state } };
}

/** Ways to come back wrongly, with the reason that is told. */
const REFUSED: readonly [string, (came: Came) => Partial<Came>, RegExp][] = [
  ['without a ticket', () => ({ ticket: '' }), /not started in this browser/],
  ['with a ticket that is none', () => ({ ticket: '1.x.y' }), /not started in this browser/],
  ['with another state', ({ answer }) => ({ answer: { ...answer, state: 'x' } }), /latest sign-in/],
  ['without a state', ({ answer }) => ({ answer: { code: answer.code } }), /latest sign-in/],
  [
    'with a ticket that was changed',
    ({ ticket }) => ({ ticket: ticket.replace(/.{4}$/, 'AAAA') }),
    /not started in this browser/,
  ],
  ['with a ticket that no gateway has made', ticketOfAnyone, /not started in this browser/],
  [
    'with the answer of another provider',
    ({ answer }) => ({ answer: { ...answer, iss: 'https://elsewhere.example' } }),
    /another provider/,
  ],
  [
    'that the provider did not want',
    ({ answer }) => ({ answer: { state: answer.state, error: 'access_denied' } }),
    /access_denied/,
  ],
  [
    'with words of somebody else',
    ({ answer }) => ({ answer: { ...answer, error: 'Call <b>0900' } }),
    /says no$/,
  ],
  ['without a code', ({ answer }) => ({ answer: { state: answer.state } }), /no code/],
  [
    'with a code that nobody gave',
    ({ answer }) => ({ answer: { ...answer, code: 'made up' } }),
    /invalid_grant/,
  ],
];

/** ID tokens that are not taken. */
const WRONG_TOKENS: readonly [string, () => void][] = [
  ['of another sign-in', () => (issuer.desk.nonce = 'x')],
  ['for somebody else', () => (issuer.desk.order = order({ audience: 'backstep' }))],
  ['of another issuer', () => (issuer.desk.order = order({ issuer: 'https://a.example' }))],
  ['that is over', () => (issuer.desk.order = order({ lifetime: -61 }))],
  ['with a key that nobody has', () => (issuer.desk.order = order({ kid: 'unknown' }))],
  [
    'that was given to another client',
    () => (issuer.desk.order = order({ claims: { roles: ['admin'], azp: 'other' } })),
  ],
  [
    'for several clients, and no word of which',
    () => (issuer.desk.order = order({ audience: [issuer.desk.client.id, 'other'] })),
  ],
];

describe('a sign-in is refused', () => {
  it.each(REFUSED)('%s', async (_what, change, reason) => {
    const came = await comeBack();
    const { answer, signIn, ticket } = { ...came, ...change(came) };
    await expectFailed(signIn.finish(ticket, CALLBACK, answer), reason);
  });

  it.each(WRONG_TOKENS)('with an ID token %s', async (_what, change) => {
    change();
    const { answer, signIn, ticket } = await comeBack();
    await expectFailed(signIn.finish(ticket, CALLBACK, answer), /ID token .* is not accepted/);
  });

  it('with a code that was used, and with one that another browser got', async () => {
    const { answer, signIn, ticket } = await comeBack();
    await signIn.finish(ticket, CALLBACK, answer);
    await expectFailed(signIn.finish(ticket, CALLBACK, answer), /invalid_grant/);
    const [mine, theirs] = [await comeBack(), await comeBack()];
    const mixed = { ...mine.answer, code: theirs.answer.code };
    await expectFailed(mine.signIn.finish(mine.ticket, CALLBACK, mixed), /invalid_grant/);
  });

  it('after ten minutes', async () => {
    const { answer, signIn, ticket } = await comeBack();
    await clock.advance(600_001);
    await expectFailed(signIn.finish(ticket, CALLBACK, answer), /ten minutes/);
  });

  it('of somebody without a role', async () => {
    issuer.desk.order = order({ claims: { roles: ['guest'] } });
    const { answer, signIn, ticket } = await comeBack();
    await expect(signIn.finish(ticket, CALLBACK, answer)).rejects.toThrow(NoRoleGiven);
  });

  it('for now where the provider is away, at the beginning and at the end', async () => {
    const { answer, signIn, ticket } = await comeBack();
    issuer.desk.isAway = true;
    await expect(signIn.finish(ticket, CALLBACK, answer)).rejects.toThrow(IssuerUnavailable);
    issuer.desk.isAway = false;
    expect((await signIn.finish(ticket, CALLBACK, answer)).returnTo).toBe(PAGE);
    const gone = desk(() => Promise.reject(new Error('nobody answers')));
    const came = await comeBack(gone);
    await expect(gone.finish(came.ticket, CALLBACK, came.answer)).rejects.toThrow(
      IssuerUnavailable,
    );
  });

  it('where the provider names no safe addresses to sign in at', async () => {
    issuer.discovery = {
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/keys`,
      authorization_endpoint: 'http://login.example/authorize',
      token_endpoint: `${issuer.url}/token`,
    };
    await expect(desk().begin(CALLBACK, PAGE)).rejects.toThrow(IssuerUnavailable);
  });

  it('where too many are on their way: the provider is not flooded with codes', async () => {
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let waiting = 0;
    const slow = desk(() => {
      waiting += 1;
      if (waiting === 32) arrive();
      return new Promise(() => {});
    });
    const { answer, ticket } = await comeBack(slow);
    for (let n = 0; n < 32; n += 1) void slow.finish(ticket, CALLBACK, answer);
    await arrived;
    await expect(slow.finish(ticket, CALLBACK, answer)).rejects.toThrow(TooManySignIns);
  });
});

describe('the session of somebody who has signed in', () => {
  const person = { sub: 'f3a1', name: 'alice (f3a1)', roles: ['operator'] };

  it('is over after its time, also for streams', async () => {
    const { principal, text } = sessions.open(person);
    const callers = new Callers({ keys: null, tokens, sessions, rules: NAMED, clock });
    await clock.advance(3_599_999);
    expect([sessions.find(text)?.role, await callers.isGood(principal)]).toEqual([
      'operator',
      true,
    ]);
    await clock.advance(1);
    expect([sessions.find(text), await callers.isGood(principal)]).toEqual([null, false]);
  });

  it('is good in every gateway of the deployment, and nowhere else', () => {
    const { text } = sessions.open(person);
    expect(sessionsWith().find(text)?.name).toBe('alice (f3a1)');
    const others = [
      { sharedSecret: 'of another store' },
      { clientSecret: 'another secret of the client' },
      { clientId: 'another' },
      { issuer: 'https://elsewhere.example' },
    ];
    for (const other of others) expect(sessionsWith(other).find(text)).toBeNull();
  });

  it('has the rights that the rules of now give', () => {
    const { text } = sessions.open(person);
    const grant = { value: 'operator', role: 'viewer', flows: ['a-*'], labels: null } as const;
    const now = sessionsWith(grantedBy([{ ...grant, modules: null }]));
    expect(now.find(text)).toMatchObject({ role: 'viewer', flows: ['a-*'] });
    expect(() => sessionsWith(grantedBy([])).find(text)).toThrow(NoRoleGiven);
  });

  it('that was changed is none', () => {
    const { text } = sessions.open(person);
    const changed = Array.from(text, (letter, at) =>
      at < 20 ? null : `${text.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`,
    );
    // The last letter may stand for bits that no byte has.
    const found = changed.slice(0, -1).map((one) => (one === null ? null : sessions.find(one)));
    expect(found.every((one) => one === null)).toBe(true);
    for (const none of ['', 'bss_', 'bss_v1.x.y', `bss_${'a'.repeat(9_000)}`]) {
      expect(sessions.find(none)).toBeNull();
    }
  });

  it('keeps the first values that count of a person with hundreds of groups', () => {
    const roles = Array.from({ length: 300 }, (_, n) => `group-${n}`);
    const grants = roles.map((value) => ({
      value,
      role: 'viewer' as const,
      flows: null,
      labels: null,
      modules: null,
    }));
    const rules = sessionsWith(grantedBy(grants));
    const { text } = rules.open({ ...person, roles });
    expect(text.length).toBeLessThan(2_000);
    expect(rules.find(text)?.role).toBe('viewer');
  });
});
