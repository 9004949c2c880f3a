import { loadSettings, type Settings, type SettingsError } from './index.js';

/** The settings of a process that is started in `/nowhere`. Throws `SettingsError`. */
export function load(env: Record<string, string>): Settings {
  return loadSettings({ cwd: '/nowhere', mode: 'start', env });
}

/** The problems with which such a start is refused; empty: it is not. */
export function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    load(env);
  } catch (error) {
    return (error as SettingsError).problems;
  }
  return [];
}
