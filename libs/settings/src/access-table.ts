import { parsePositiveDuration } from '#wording';
import { type RoleGrant, ROLES } from '#ports';
import { parseClaim, parsePath, parseSafeUrl } from './parsers.js';
import type { SettingEntry } from './setting-entry.js';
import type { Settings } from './settings.js';
import { parseCallback, parseClientId, parseClientSecret, parseScopes } from './oidc-client.js';

const PATTERN = /^[A-Za-z0-9._*-]{1,100}$/;
const LABEL = /^label\.([^=:\s]{1,64}):(\S{1,255})$/;

/** The settings of an OpenID Connect issuer and of its client, a part of the table of settings. */
export const OIDC_SETTINGS: {
  readonly [K in Extract<keyof Settings, `oidc${string}`>]: SettingEntry<Settings[K]>;
} = {
  oidcIssuer: {
    parse: parseSafeUrl,
    fallback: null,
    meaning: 'address of the OpenID Connect issuer whose tokens are accepted',
  },
  oidcAudience: {
    parse: parseClaim,
    fallback: null,
    meaning: 'audience that the tokens must have',
  },
  oidcSubjectClaim: {
    parse: parseClaim,
    fallback: null,
    depends: '`sub`, of which each client may have its own',
    meaning: 'claim that names a person, the same for all clients, like oid of Entra ID',
  },
  oidcRolesClaim: {
    parse: parseClaim,
    fallback: 'roles',
    meaning: 'claim with the roles; dots lead into objects, like realm_access.roles',
  },
  oidcGrants: {
    parse: parseGrants,
    fallback: null,
    meaning:
      'roles and limits by values of the claim, like ops=operator flows:create-*; else=viewer',
  },
  oidcClient: {
    parse: parseClientId,
    fallback: null,
    meaning: 'client id at the issuer, for people who sign in to the console',
  },
  oidcClientSecret: {
    parse: parseClientSecret,
    fallback: null,
    meaning: 'secret of that client; 16 characters or more',
    hidden: 'secret',
  },
  oidcScopes: {
    parse: parseScopes,
    fallback: 'openid profile email',
    meaning: 'scopes that the client asks for, with spaces; openid among them',
  },
  oidcCallback: {
    parse: parseCallback,
    fallback: null,
    meaning: 'address of /v1/session/oidc/callback as browsers reach it, if a proxy hides the host',
  },
  oidcSession: {
    parse: parsePositiveDuration,
    fallback: '1h',
    meaning: 'how long a sign-in at the issuer lasts',
  },
};

type AccessKey = Extract<
  keyof Settings,
  `tls${string}` | 'access' | 'mtlsGrants' | 'proxySecretFile'
>;

/** The settings of TLS, of client certificates, proxies and bindings: a part of the table. */
export const ACCESS_SETTINGS: {
  readonly [K in AccessKey]: SettingEntry<Settings[K]>;
} = {
  access: {
    parse: parsePath,
    fallback: null,
    meaning: 'JSON file that grants rights to users of oidc, mtls and proxy; watched',
  },
  mtlsGrants: {
    parse: parseGrants,
    fallback: null,
    meaning:
      'roles and limits by names in client certificates, like spiffe://prod/ci=starter; more',
  },
  proxySecretFile: {
    parse: parsePath,
    fallback: null,
    meaning:
      'file with the secret of a proxy that authenticates people; read again when it changes',
  },
  tlsCert: {
    parse: parsePath,
    fallback: null,
    meaning: 'PEM file of the certificate chain: the app speaks HTTPS; read again when it changes',
  },
  tlsKey: {
    parse: parsePath,
    fallback: null,
    meaning: "PEM file of the certificate's private key",
  },
  tlsClientCa: {
    parse: parsePath,
    fallback: null,
    meaning: 'PEM file of the authorities of client certificates; read again when it changes',
  },
};

/**
 * Grants with semicolons between them, as in `ops=operator flows:create-*,delete-* modules:mysql;
 * payments=starter label.team:payments`: a value of the claim, its role, and limits.
 */
export function parseGrants(text: string): readonly RoleGrant[] {
  const written = text.split(';').map((part) => part.trim());
  return written.filter((part) => part !== '').map((part) => grantOf(part));
}

function grantOf(text: string): RoleGrant {
  const [head = '', ...limits] = text.split(/\s+/);
  const at = head.lastIndexOf('=');
  const role = ROLES.find((known) => known === head.slice(at + 1));
  if (at < 1 || role === undefined) {
    throw wrong(text, `begins with <value>=<role>, the role one of ${ROLES.join(', ')}`);
  }
  const labels: Record<string, string> = {};
  const lists: Record<string, readonly string[]> = {};
  for (const limit of limits) {
    const [, name, value] = LABEL.exec(limit) ?? [];
    const [, kind, list] = /^(flows|modules):(.+)$/.exec(limit) ?? [];
    if (name !== undefined && value !== undefined) labels[name] = value;
    else if (kind !== undefined && list !== undefined) lists[kind] = patternsIn(list, text);
    else throw wrong(text, 'limits by flows:<names>, modules:<names> or label.<name>:<value>');
  }
  return {
    value: head.slice(0, at),
    role,
    flows: lists['flows'] ?? null,
    labels: Object.keys(labels).length === 0 ? null : labels,
    modules: lists['modules'] ?? null,
  };
}

function patternsIn(list: string, grant: string): readonly string[] {
  const patterns = list.split(',');
  if (patterns.every((pattern) => PATTERN.test(pattern))) return patterns;
  throw wrong(grant, 'has names with commas, in which * stands for any text');
}

function wrong(grant: string, rule: string): RangeError {
  return new RangeError(`the grant ${JSON.stringify(grant)} is not one: each ${rule}`);
}
