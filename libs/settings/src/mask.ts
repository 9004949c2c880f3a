const MASK = '***';

/** A setting's text as it may be shown. */
export function maskText(text: string, hidden: 'secret' | 'url' | undefined): string {
  if (hidden === undefined || text === '') return text;
  return hidden === 'secret' ? MASK : maskUrls(urlsIn(text));
}

/** Several URLs as they may be shown, as one text with commas. */
export function maskUrls(urls: readonly string[]): string {
  return urls.map(maskUrl).join(',');
}

/** The URLs of a list with commas: a comma in a password is followed by something else. */
export function urlsIn(text: string): readonly string[] {
  return text.split(/,(?=amqps?:\/\/)/);
}

/** Hosts as URLs list them, each perhaps with a port: names, addresses, `[::1]`. */
const HOSTS = /^[\w.-]*(?:\[[\da-f:.]+\])?(?::\d*)?(?:,[\w.-]+(?::\d*)?)*$/i;

/**
 * A URL as it may be shown: its scheme, its hosts and their ports. User, path and query may each
 * hold a secret, so they are masked whole. Where a secret may stand in the place of the host, as in
 * a URL with an unescaped `/` or `#` in its password, the host is masked too. Text without `//`,
 * such as `sqlite:<file>`, stays as it is.
 */
export function maskUrl(url: string): string {
  const found = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\\]*)(.*)$/is.exec(url);
  const [, scheme = '', authority = '', rest = ''] = found ?? [];
  if (found === null || scheme === 'sqlite://') return url;
  const at = authority.lastIndexOf('@');
  const hosts = authority.slice(at + 1);
  if (rest.includes('@') || !HOSTS.test(hosts)) return scheme + MASK;
  const login = at === -1 ? '' : `${MASK}@`;
  return scheme + login + hosts + (rest === '' || rest === '/' ? rest : `/${MASK}`);
}

/** Whether a URL holds a password, or says so little about itself that it may. */
export function hasPassword(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^@]*:[^@]*@/i.test(url);
}
