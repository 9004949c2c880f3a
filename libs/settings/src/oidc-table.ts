import { parsePositiveDuration } from '#wording';
import { parseCallback, parseClientId, parseClientSecret, parseScopes } from './oidc-client.js';
import { parseClaim, parseSafeUrl } from './parsers.js';
import { parseGrants } from './role-grants.js';
import type { SettingEntry } from './setting-entry.js';
import type { Settings } from './settings.js';

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
