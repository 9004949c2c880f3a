import type { Terminal } from './terminal.js';

/** Where Backstep is looked for when no option says otherwise. */
export function usualUrl(env: Terminal['env']): string {
  return env['BACKSTEP_URL'] || 'http://127.0.0.1:7070';
}
