import { isLoopback } from './parsers.js';

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
