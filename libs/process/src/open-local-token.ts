import os from 'node:os';
import { LocalToken, openTokenFile, UnfitTokenFile } from '#access';
import { newSecret } from '#machine';
import type { Clock } from '#ports';
import { type Settings, SettingsError } from '#settings';

/**
 * The token of this machine, in the data folder; null: the settings want none. Throws a
 * `SettingsError` for a file that others get at.
 */
export function openLocalToken(
  { auth, data }: Pick<Settings, 'auth' | 'data'>,
  clock: Pick<Clock, 'now'>,
): LocalToken | null {
  if (auth !== 'token') return null;
  const chance = (): string => newSecret().secret;
  try {
    const token = openTokenFile(data, chance());
    return new LocalToken({ token, userName: userName(), clock, newSecret: chance });
  } catch (error) {
    if (!(error instanceof UnfitTokenFile)) throw error;
    throw new SettingsError([`BACKSTEP_AUTH=token: ${error.message}`]);
  }
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return '';
  }
}
