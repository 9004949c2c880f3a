import { GATEWAY_TLS } from '../client/http.js';
import { reach } from '../client/reach.js';
import { readAnswer } from '../client/read-answer.js';
import type { ReadinessReport } from '../client/types.js';
import type { Session } from '../session.js';
import { usualUrl } from '../terminal/usual-url.js';
import { adviceOnTls } from '../tls-advice.js';
import { broken, type Finding, ok, reasonOf, warning } from './finding.js';

/** How long a gateway may take to say whether it is ready, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * The gateway that the command line was told of by `--url` or `BACKSTEP_URL`: it says what it does
 * not reach, also where its settings are not those of this shell. Null: none was named.
 */
export async function checkGateway(session: Session): Promise<Finding | null> {
  const { env } = session.terminal;
  const { url } = session.options;
  if (!env['BACKSTEP_URL'] && url === usualUrl(env)) return null;
  try {
    const { options } = session.brief(ANSWER_MS);
    const { signal } = options;
    const answer = await reach(options, 'readyz', { method: 'GET', headers: {}, signal });
    return readinessOf(url, readAnswer(await answer.text(), url) as ReadinessReport);
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    const start = 'Start it, or say where it is with --url or BACKSTEP_URL.';
    const fix = adviceOnTls(cause, GATEWAY_TLS) ?? start;
    return broken('gateway', `${url} does not answer: ${reasonOf(cause)}`, fix);
  }
}

function readinessOf(url: string, { checks, notes, status }: ReadinessReport): Finding {
  const held = notes.filter((note) => note.startsWith('degraded: '));
  if (status === 'ready' && held.length > 0) {
    const fix = 'Mend what the notes name. It need not be started again, and goes on by itself.';
    return warning('gateway', `${url} is ready, with notes: ${held.join(' ')}`, fix);
  }
  if (status === 'ready') return ok('gateway', `${url} is ready`);
  const missing = checks.filter(({ ready }) => !ready);
  const reasons = missing.map(({ message, name, since }) => {
    return `${name}: ${message ?? 'it fails'}${since === undefined ? '' : ` (since ${since})`}`;
  });
  const fix = 'Mend what it names. It need not be started again, and goes on by itself.';
  return broken('gateway', `${url} is not ready: ${reasons.join('; ')}`, fix);
}
