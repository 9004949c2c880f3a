import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, sayIgnoredUrl, textArg } from '../tree/call.js';
import { readSettings } from './read-settings.js';

/** `mysql credentials`: whoever may read the store and the key may read what is in it. */
export async function mysqlCredentials(session: Session, call: Call): Promise<void> {
  sayIgnoredUrl(session, call, 'credentials are read from the store itself');
  const settings = await readSettings(session, call);
  const { BadInstanceName, readCredentials } = await import('../../../mysql/src/index.js');
  const instance = textArg(call, 0);
  const text = await readCredentials(settings, instance).catch((error: unknown) => {
    if (error instanceof BadInstanceName) throw new CliError(EXIT.usage, error.message);
    throw new CliError(EXIT.unreachable, (error as Error).message);
  });
  if (text === null) throw new CliError(EXIT.notFound, `there are no credentials of ${instance}`);
  session.print(text.trimEnd());
}
