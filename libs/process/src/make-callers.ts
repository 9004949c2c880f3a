import os from 'node:os';
import {
  AccessRules,
  bindingsOfClaims,
  bindingsOfNames,
  Callers,
  ClientCertificates,
  ConsoleSessions,
  EndedSessions,
  type FormAnswer,
  IdentityTokens,
  KeptCredentials,
  KeyRing,
  LocalToken,
  openTokenFile,
  type SentForm,
  SignIn,
  TrustedProxy,
  UnfitTokenFile,
} from '#access';
import { newSecret, withinLimit } from '#machine';
import { type Clock, KEY, type Observer, recordsOf, type RecordStore, sharedSecret } from '#ports';
import { hasOwnSubjects, ownFolder, type Settings, SettingsError, takes } from '#settings';
import { bytesOf, readJson, WrongJson } from '#json';
import type { AccessFile } from './access-file.js';
import type { ProxySecretFile } from './proxy-secret-file.js';

const ISSUER_MS = 5_000;
const ISSUER_BYTES_MAX = 1024 * 1024;
const ISSUER_LIMITS = { bytes: ISSUER_BYTES_MAX };

type Waits = Pick<Clock, 'after'>;

interface Asked extends Pick<RequestInit, 'body' | 'method'> {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Waits;
}

/** The parts that callers are told apart with. */
interface CallerParts {
  readonly records: RecordStore;
  /** The time of the deployment. */
  readonly clock: Clock;
  /** The time of this machine: waits end by it. */
  readonly machine: Clock;
  readonly observer: Observer;
  /** The token of this machine, where it is all that is taken; else null. */
  readonly localToken: LocalToken | null;
  /** The file of bindings; null: rights follow from the settings. */
  readonly access: Pick<AccessFile, 'rules'> | null;
  /** The secrets of proxies that vouch for people; null: no proxy is trusted. */
  readonly proxySecret: Pick<ProxySecretFile, 'secrets'> | null;
}

/** The check that tells callers apart, and how people sign in; null: by a key or a token alone. */
interface CallerChecks extends Pick<CallerParts, 'localToken'> {
  readonly callers: Callers;
  readonly signIn: SignIn | null;
}

/** Under this name gateways share what sessions of people who signed in are sealed with. */
const SESSION_SECRET = 'console sessions';

/**
 * Makes the check that tells callers apart, as the settings want it: keys are known in any case.
 */
export async function makeCallers(settings: Settings, parts: CallerParts): Promise<CallerChecks> {
  const { auth } = settings;
  const { clock, localToken, records } = parts;
  const keys = recordsOf(records, KEY);
  const ring = new KeyRing({ keys, clock });
  const rules = parts.access?.rules ?? rulesOf(settings);
  const issuer = takes(auth, 'oidc') ? issuerOf(settings, rules) : null;
  const tokens = issuer === null ? null : makeTokens(issuer, parts);
  const signing =
    issuer === null || tokens === null
      ? { sessions: null, signIn: null }
      : await makeSignIn(issuer, tokens, parts);
  const { sessions, signIn } = signing;
  const certificates = takes(auth, 'mtls') ? new ClientCertificates({ rules, clock }) : null;
  const { proxySecret } = parts;
  const proxy =
    proxySecret === null ? null : new TrustedProxy({ rules, secrets: proxySecret.secrets });
  const takesKeys = auth === null || auth === 'off' || takes(auth, 'keys');
  const checks = {
    keys: takesKeys ? ring : null,
    tokens,
    sessions,
    local: localToken,
    ended: localToken === null && sessions === null ? null : new EndedSessions({ keys, clock }),
    kept: new KeptCredentials({ keys, clock, newSecret: () => newSecret().secret }),
    certificates,
    proxy,
  };
  return { callers: new Callers({ ...checks, rules, clock }), signIn, localToken };
}

function rulesOf({ mtlsGrants, oidcGrants }: Settings): AccessRules {
  return new AccessRules([...bindingsOfNames(mtlsGrants ?? []), ...bindingsOfClaims(oidcGrants)]);
}

/** The settings of an issuer that is there. */
interface IssuerSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly rolesClaim: string;
  readonly subjectClaim: string;
  readonly rules: AccessRules;
  readonly settings: Settings;
}

function issuerOf(settings: Settings, rules: AccessRules): IssuerSettings | null {
  const { oidcAudience: audience, oidcIssuer: issuer } = settings;
  if (issuer === null || audience === null) return null;
  const { oidcRolesClaim: rolesClaim, oidcSubjectClaim } = settings;
  const subjectClaim = oidcSubjectClaim ?? 'sub';
  return { issuer, audience, rolesClaim, subjectClaim, rules, settings };
}

function makeTokens(
  { audience, issuer, rolesClaim, rules, settings, subjectClaim }: IssuerSettings,
  { clock, machine, observer }: CallerParts,
): IdentityTokens {
  const read = (url: string): Promise<unknown> => fetchJson(url, machine);
  return new IdentityTokens({
    issuer,
    audience,
    rolesClaim,
    subjectClaim,
    boundTo: hasOwnSubjects(settings) ? audience : null,
    rules,
    readJson: read,
    clock,
    observer,
  });
}

async function makeSignIn(
  { issuer, rolesClaim, rules, settings, subjectClaim }: IssuerSettings,
  tokens: IdentityTokens,
  { clock, machine, records }: CallerParts,
): Promise<{ readonly sessions: ConsoleSessions | null; readonly signIn: SignIn | null }> {
  const { oidcClient: clientId, oidcClientSecret: clientSecret } = settings;
  if (clientId === null || clientSecret === null) return { sessions: null, signIn: null };
  const chance = (): string => newSecret().secret;
  const client = { issuer, clientId, clientSecret, clock, newSecret: chance };
  const secret = await sharedSecret(records, SESSION_SECRET, chance());
  const lifetimeMs = settings.oidcSession;
  const boundTo = hasOwnSubjects(settings) ? clientId : null;
  const people = { rolesClaim, subjectClaim, boundTo, rules };
  const sessions = new ConsoleSessions({ ...client, ...people, sharedSecret: secret, lifetimeMs });
  const signIn = new SignIn({
    ...client,
    sharedSecret: secret,
    tokens,
    sessions,
    scopes: settings.oidcScopes,
    sendForm: (form) => sendForm(form, machine),
  });
  return { sessions, signIn };
}

/**
 * The token of this machine, in the data folder; null: the settings want none. Throws a
 * `SettingsError` for a file that others get at.
 */
export function openLocalToken(
  { auth, data }: Pick<Settings, 'auth' | 'data'>,
  clock: Pick<Clock, 'now'>,
): LocalToken | null {
  if (auth !== 'token') return null;
  const chance = (): string => newSecret().secret;
  ownFolder('BACKSTEP_DATA', data);
  try {
    const token = openTokenFile(data, chance());
    return new LocalToken({ token, userName: userName(), clock, newSecret: chance });
  } catch (error) {
    if (!(error instanceof UnfitTokenFile)) throw error;
    throw new SettingsError([`BACKSTEP_AUTH=token: ${error.message}`]);
  }
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return '';
  }
}

/**
 * The JSON at an address. Rejects where there is none, or no whole answer within 5 s. Redirects are
 * not followed, and an answer of more than 1 MiB is not read.
 */
export function fetchJson(url: string, clock: Waits): Promise<unknown> {
  return ask({ url, clock }, async (response) => {
    if (!response.ok) throw new Error(`the answer has status ${response.status}`);
    return readJson(await bytesOf(response, ISSUER_BYTES_MAX), ISSUER_LIMITS);
  });
}

/** Sends a form, within the same limits; rejects where nothing answers. */
function sendForm({ fields, headers, url }: SentForm, clock: Waits): Promise<FormAnswer> {
  const form = new URLSearchParams(fields);
  return ask({ url, clock, method: 'POST', headers, body: form }, async (response) => {
    const body = jsonIn(await bytesOf(response, ISSUER_BYTES_MAX));
    return { status: response.status, body };
  });
}

function ask<T>(
  { clock, headers, url, ...init }: Asked,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  return withinLimit(
    async (signal) => {
      const sent = { accept: 'application/json', ...headers };
      return read(await fetch(url, { ...init, headers: sent, redirect: 'error', signal }));
    },
    { clock, ms: ISSUER_MS },
  );
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return readJson(bytes, ISSUER_LIMITS);
  } catch (error) {
    if (error instanceof WrongJson) return null;
    throw error;
  }
}
