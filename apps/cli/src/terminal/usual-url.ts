import type { Terminal } from './terminal.js';

/** Where Backstep is looked for when no option says otherwise. */
export function usualUrl(env: Terminal['env']): string {
  return env['BACKSTEP_URL'] || urlOfListener(env) || 'http://127.0.0.1:7070';
}

/** Where a process with these variables listens; undefined: they do not say, or any free port. */
function urlOfListener(env: Terminal['env']): string | undefined {
  const listener = env['BACKSTEP_HTTP'] ?? '';
  if (listener.startsWith('unix:')) return listener;
  const [, host = '', port] = /^(\[[^\]]+\]|[^:/\s]+):([1-9]\d{0,4})$/.exec(listener) ?? [];
  if (port === undefined) return undefined;
  const scheme = env['BACKSTEP_TLS_CERT'] ? 'https' : 'http';
  return `${scheme}://${LOOPBACK_OF.get(host) ?? host}:${port}`;
}

/** Addresses that stand for every address of a machine, and how this machine reaches itself. */
const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);
