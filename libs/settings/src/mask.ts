const MASK = '***';

/** A setting's text as it may be shown. */
export function maskText(text: string, hidden: 'secret' | 'url' | undefined): string {
  if (hidden === undefined || text === '') return text;
  return hidden === 'secret' ? MASK : maskUrl(text);
}

/**
 * Hides the password of a URL, also of one that lists several hosts, and the values of its query,
 * where webhooks keep their keys.
 */
export function maskUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/i, `$1:${MASK}@`)
    .replaceAll(/([?&][^=&#]*(?:key|pass|secret|sig|token)[^=&#]*=)[^&#]*/gi, `$1${MASK}`);
}
