import { isLoopback } from './parsers.js';
import type { Settings } from './settings.js';

const SECRET_MIN = 16;
/** Where the issuer sends browsers back to. */
const CALLBACK = '/v1/session/oidc/callback';

/** The name of a client, as its issuer knows it. */
export function parseClientId(text: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  throw new RangeError('must be the id of a client, without spaces');
}

/** The secret of a client; sessions are sealed with it, so nobody may guess it. */
export function parseClientSecret(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && text.length >= SECRET_MIN) return text;
  throw new RangeError(`must have ${SECRET_MIN} characters or more, as issuers make them`);
}

/** Scopes with spaces between them: `openid`, and others. */
export function parseScopes(text: string): string {
  const scopes = text.trim().split(/\s+/);
  if (scopes.includes('openid') && scopes.every((scope) => /^[\x21-\x7e]{1,200}$/.test(scope))) {
    return scopes.join(' ');
  }
  throw new RangeError('must be scopes with spaces between them, one of them openid');
}

/** The address of the callback as browsers reach it: https, or http on loopback. */
export function parseCallback(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const host = url?.hostname.replaceAll(/[[\]]/g, '') ?? '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(host));
  if (isSafe && url.href === text && text === `${url.origin}${CALLBACK}`) return text;
  throw new RangeError(`must be https://<host>${CALLBACK}, or http:// on loopback`);
}

/** The settings that say which tokens of an issuer name one person alike. */
type Subjects = Pick<Settings, 'oidcAudience' | 'oidcClient' | 'oidcSubjectClaim'>;

/** Whether tokens of requests and sign-ins may name one person by two subjects. */
export function hasOwnSubjects({ oidcAudience, oidcClient, oidcSubjectClaim }: Subjects): boolean {
  return oidcSubjectClaim === null && oidcClient !== null && oidcClient !== oidcAudience;
}

/** The warnings about what a person is known by. */
export function subjectWarnings(settings: Subjects): readonly string[] {
  if (!hasOwnSubjects(settings)) return [];
  return [
    'BACKSTEP_OIDC_SUBJECT_CLAIM is not set and BACKSTEP_OIDC_CLIENT is not BACKSTEP_OIDC_AUDIENCE: ' +
      'the issuer may give each a `sub` of its own for one person, so people who signed in to the ' +
      'console and people with tokens cannot approve the actions of one another. Write sub if it ' +
      'gives one to all, or the claim that does, like oid of Entra ID',
  ];
}
