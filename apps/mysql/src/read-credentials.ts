import { SystemClock, SystemEntropy } from '#machine';
import { checkInstanceName } from './instance-name.js';
import { type CredentialsSettings, credentialsPlace } from './mysql.process.js';
import { openCredentials } from './open-credentials.js';

/**
 * The client file (`my.cnf`) by which clients log in to an instance; null: there is none. It is
 * read from where the settings say it is kept; no process need run. Throws `BadInstanceName`.
 */
export async function readCredentials(
  settings: CredentialsSettings,
  instance: string,
): Promise<string | null> {
  const place = credentialsPlace(settings);
  const parts = { clock: new SystemClock(), entropy: new SystemEntropy() };
  const name = checkInstanceName(instance);
  const credentials = await openCredentials(place, parts);
  try {
    return await credentials.clientFileOf(name);
  } finally {
    await credentials.close();
  }
}
