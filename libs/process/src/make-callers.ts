import {
  AccessRules,
  bindingsOfClaims,
  bindingsOfNames,
  Callers,
  ClientCertificates,
  ConsoleSessions,
  EndedSessions,
  IdentityTokens,
  KeptCredentials,
  KeyRing,
  SignIn,
  TrustedProxy,
} from '#access';
import type { LocalToken } from '#access';
import { newSecret } from '#machine';
import { type Clock, KEY, type Observer, type RecordStore } from '#ports';
import { recordsOf, sharedSecret } from '#ports';
import { hasOwnSubjects, type Settings, takes } from '#settings';
import type { AccessFile } from './access-file.js';
import { fetchJson, sendForm } from './issuer-requests.js';
import type { ProxySecretFile } from './proxy-secret-file.js';

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
