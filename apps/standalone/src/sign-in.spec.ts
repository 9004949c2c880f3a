import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { TokenIssuer } from '#testing';
import { standaloneProcess } from './standalone.process.js';

const START = '/v1/session/oidc';
const CALLBACK = `${START}/callback`;
const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));
let folder: string;
let issuer: TokenIssuer;
let running: RunningProcess;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-sign-in-'));
  issuer = await TokenIssuer.open();
  issuer.desk.order = { claims: { roles: ['operator'], preferred_username: 'alice' } };
});

afterEach(async () => {
  await running?.stop();
  await issuer.close();
  await rm(folder, { recursive: true });
});

async function start(
  more: Record<string, string> = {},
  env: Record<string, string> = clientOf(issuer),
): Promise<void> {
  const where = { store: `sqlite:${path.join(folder, 'b.db')}`, flows, http: '127.0.0.1:0' };
  const oidc = { auth: 'oidc', oidcIssuer: issuer.url, oidcAudience: 'backstep' };
  const flags = { ...where, log: 'silent', ...oidc, ...more };
  const settings = loadSettings({ mode: 'test', flags, env, cwd: folder });
  running = await startProcess(standaloneProcess, settings);
}

function clientOf({ desk: { client } }: TokenIssuer): Record<string, string> {
  return { BACKSTEP_OIDC_CLIENT: client.id, BACKSTEP_OIDC_CLIENT_SECRET: client.secret };
}

function visit(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const place = url.startsWith('http') ? url : `${running.url}${url}`;
  return fetch(place, { redirect: 'manual', headers });
}

/** A cookie that an answer sets, as it stands there and as a browser sends it. */
function cookieIn(
  answer: Response,
  name: RegExp,
): { readonly whole: string; readonly pair: string } {
  const whole = answer.headers.getSetCookie().find((one) => name.test(one)) ?? '';
  return { whole, pair: whole.split(';')[0] ?? '' };
}

const TICKET = /^backstep_session_\d+_ticket=/;
const SESSION = /^backstep_session_\d+=/;

interface Begun {
  readonly ticket: string;
  /** At the provider. */
  readonly location: string;
}

async function begin(search = ''): Promise<Begun> {
  const answer = await visit(`${START}${search}`);
  expect(answer.status).toBe(302);
  const { pair, whole } = cookieIn(answer, TICKET);
  expect(whole).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  return { ticket: pair, location: answer.headers.get('location') ?? '' };
}

async function codeOf(answer: Response): Promise<unknown> {
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  return ((await answer.json()) as { readonly code: string }).code;
}

describe('a browser that signs in at the provider', () => {
  it('gets a session of the console, and goes back to its page', async () => {
    await start();
    const { location, ticket } = await begin('?returnTo=/console/tasks%3Fq=a');
    const asked = new URL(location).searchParams;
    expect(asked.get('redirect_uri')).toBe(`${running.url}${CALLBACK}`);
    const answer = await visit(issuer.desk.letIn(location), { cookie: ticket });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(
      `/console/login?to=${encodeURIComponent('/console/tasks?q=a')}`,
    );
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect(cookieIn(answer, TICKET).whole).toMatch(/_ticket=;.*; Max-Age=0$/);
    const session = cookieIn(answer, SESSION);
    expect(session.whole).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: session.pair, 'x-backstep-console': '1' };
    const me = await fetch(`${running.url}/v1/session`, { headers });
    expect(await me.json()).toMatchObject({ name: 'alice (f3a1)', role: 'operator' });
    const forged = await fetch(`${running.url}/v1/session`, { headers: { cookie: session.pair } });
    expect(forged.status).toBe(401);
    const signedOut = await fetch(`${running.url}/v1/session`, { method: 'DELETE', headers });
    expect(signedOut.status).toBe(204);
    expect((await fetch(`${running.url}/v1/session`, { headers })).status).toBe(401);
  });

  it('is in the audit log', async () => {
    await start();
    issuer.desk.order = { claims: { roles: ['admin'] } };
    const { location, ticket } = await begin();
    const answer = await visit(issuer.desk.letIn(location), { cookie: ticket });
    const headers = { cookie: cookieIn(answer, SESSION).pair, 'x-backstep-console': '1' };
    const audit = await fetch(`${running.url}/v1/audit?limit=1`, { headers });
    expect(await audit.json()).toMatchObject({
      items: [{ actor: '(f3a1)', keyId: `${issuer.url}#f3a1`, operation: `GET ${CALLBACK}` }],
    });
  });

  it('comes back to where a proxy has the console, where that is said', async () => {
    const oidcCallback = `https://backstep.example${CALLBACK}`;
    await start({ oidcCallback });
    const { location } = await begin();
    expect(new URL(location).searchParams.get('redirect_uri')).toBe(oidcCallback);
  });

  it.each([
    'https://elsewhere.example/',
    '//elsewhere.example/console/',
    '/\\elsewhere.example/console/',
    '/console/..//elsewhere.example/',
    '/v1/tasks',
  ])('may not want to come back to %s', async (returnTo) => {
    await start();
    const answer = await visit(`${START}?returnTo=${encodeURIComponent(returnTo)}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.json()).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/returnTo' }],
    });
  });

  it('is told whether and where, by readiness', async () => {
    await start();
    const ready = await fetch(`${running.url}/readyz`);
    expect(await ready.json()).toMatchObject({ auth: 'oidc', signIn: START });
  });
});

interface Refused {
  readonly prepare?: () => void;
  /** The request of the browser that comes back. */
  readonly send?: (begun: Begun) => { readonly url: string; readonly cookie: string };
  readonly status: number;
  readonly code: string;
  /** Whether the browser keeps its ticket. */
  readonly isKept?: boolean;
}

const usual = ({ location, ticket }: Begun) => ({
  url: issuer.desk.letIn(location),
  cookie: ticket,
});

const REFUSED: readonly (readonly [string, Refused])[] = [
  [
    'a wrong state',
    {
      send: (begun) => ({
        url: usual(begun).url.replace(/state=[^&]+/, 'state=x'),
        cookie: begun.ticket,
      }),
      status: 400,
      code: 'SIGN_IN_FAILED',
    },
  ],
  [
    'another browser',
    { send: (begun) => ({ ...usual(begun), cookie: '' }), status: 400, code: 'SIGN_IN_FAILED' },
  ],
  [
    'a ticket whose page leads elsewhere',
    {
      send: (begun) => ({
        ...usual(begun),
        cookie: begun.ticket.replace(/[^.]+$/, Buffer.from('//a.example').toString('base64url')),
      }),
      status: 400,
      code: 'SIGN_IN_FAILED',
    },
  ],
  [
    'a no of the provider',
    {
      send: ({ location, ticket }) => ({ url: issuer.desk.turnAway(location), cookie: ticket }),
      status: 400,
      code: 'SIGN_IN_FAILED',
    },
  ],
  [
    'a wrong nonce',
    { prepare: () => (issuer.desk.nonce = 'x'), status: 400, code: 'SIGN_IN_FAILED' },
  ],
  [
    'a wrong audience',
    {
      prepare: () => (issuer.desk.order = { ...issuer.desk.order, audience: 'backstep' }),
      status: 400,
      code: 'SIGN_IN_FAILED',
    },
  ],
  [
    'an ID token that is over',
    {
      prepare: () => (issuer.desk.order = { ...issuer.desk.order, lifetime: -100 }),
      status: 400,
      code: 'SIGN_IN_FAILED',
    },
  ],
  [
    'somebody without a role',
    { prepare: () => (issuer.desk.order = { claims: {} }), status: 403, code: 'FORBIDDEN' },
  ],
  [
    'a provider that is away',
    {
      prepare: () => (issuer.desk.isAway = true),
      status: 503,
      code: 'ISSUER_UNAVAILABLE',
      isKept: true,
    },
  ],
];

describe('nobody is signed in by', () => {
  it.each(REFUSED)('%s', async (_what, { code, isKept = false, prepare, send = usual, status }) => {
    await start();
    prepare?.();
    const { cookie, url } = send(await begin());
    const answer = await visit(url, cookie === '' ? {} : { cookie });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBeNull();
    expect(cookieIn(answer, SESSION).whole).toBe('');
    const forgets = cookieIn(answer, TICKET).whole.endsWith('; Max-Age=0');
    expect(forgets).toBe(!isKept);
    expect(answer.headers.get('retry-after')).toBe(isKept ? '2' : null);
    expect(await codeOf(answer)).toBe(code);
  });

  it('a code that was used', async () => {
    await start();
    const begun = await begin();
    const { cookie, url } = usual(begun);
    expect((await visit(url, { cookie })).status).toBe(302);
    // Without its ticket, as the browser has forgotten it, and with it, as a thief may have both.
    expect(await codeOf(await visit(url))).toBe('SIGN_IN_FAILED');
    expect(await codeOf(await visit(url, { cookie }))).toBe('SIGN_IN_FAILED');
    expect(issuer.desk.brought).toBe(2);
  });

  it('a page that makes the browser ask without a visit', async () => {
    await start();
    const { cookie, url } = usual(await begin());
    const answer = await visit(url, { cookie, 'sec-fetch-site': 'cross-site' });
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'FOREIGN_ORIGIN']);
    expect(issuer.desk.brought).toBe(0);
  });

  it('a provider that was never there', async () => {
    issuer.isBroken = true;
    await start();
    const away = await visit(START);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await codeOf(away)).toBe('ISSUER_UNAVAILABLE');
  });

  it('a provider of which there is no client', async () => {
    await start({}, {});
    for (const place of [START, CALLBACK]) {
      const answer = await visit(place);
      expect([answer.status, await codeOf(answer)]).toEqual([404, 'NOT_FOUND']);
    }
    const ready = await fetch(`${running.url}/readyz`);
    expect(await ready.json()).toMatchObject({ signIn: null });
  });
});
