import { LINK_MS } from '#access';
import { socketIn } from '../client/backstep-url.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';

const MINUTES = LINK_MS / 60_000;

/**
 * An address of the console that signs a browser in. The ticket is behind `#`: no browser sends
 * that to a server, so it is in no log and no `Referer`; the page takes it out of the history.
 */
function linkOf(url: string, ticket: string): string {
  return `${url.replace(/\/$/, '')}/console/login#ticket=${ticket}`;
}

/** `console` */
export async function consoleLink(session: Session): Promise<void> {
  const { url } = session.options;
  if (socketIn(url) !== null) {
    const hint = 'Have a proxy listen on loopback before it, and give its address with --url.';
    throw new CliError(EXIT.usage, `a browser reaches no socket: ${url}`, hint);
  }
  const client = session.asking();
  await client.ask('GET /v1/session', {});
  const link = client.options.machineToken?.link();
  if (link === undefined) {
    const hint = `Open ${url.replace(/\/$/, '')}/console/`;
    throw new CliError(EXIT.conflict, `sign-in by a link is off at ${url}`, hint);
  }
  session.print(linkOf(link.url, link.ticket));
  session.say(`It signs in once, within ${MINUTES} minutes.`);
}

/** Says how a browser signs in to a process that was started here and takes the machine's token. */
export function saySignIn(
  session: Session,
  { localToken, url }: { readonly localToken: { ticket(): string } | null; readonly url: string },
): void {
  if (localToken === null || socketIn(url) !== null) return;
  session.say(`  Sign in   ${linkOf(url, localToken.ticket())}`);
  const another = session.typed('console', url);
  session.say(`            (once, within ${MINUTES} minutes; another link: ${another})`);
}
