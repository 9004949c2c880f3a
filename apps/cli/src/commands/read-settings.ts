import type { SettingRow, Settings } from '#settings';
import { CliError, EXIT } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Call } from '../tree/call.js';

const STYLE: RowStyle<SettingRow> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'VALUE', value: ({ value }) => value || '-' },
    { title: 'SOURCE', value: ({ source }) => source },
    { title: 'MEANING', value: ({ meaning }) => meaning },
  ],
};

/**
 * The settings that a process started here would have. Throws a `CliError` with all mistakes; where
 * they are only shown (`isForShow`), a password that would go out in clear text is a warning.
 */
export async function readSettings(
  session: Session,
  { options }: Call,
  isForShow = false,
): Promise<Settings> {
  const { terminal } = session;
  const { accessNotes, loadSettings, settingWarnings, SettingsError } = await import('#settings');
  try {
    const settings = loadSettings({
      mode: 'start',
      isForShow,
      flags: settingTexts(options),
      env: terminal.env,
      cwd: terminal.cwd,
    });
    for (const warning of settingWarnings(settings)) session.say(`warning: ${warning}`);
    for (const note of accessNotes(settings)) session.say(`warning: ${note}`);
    return settings;
  } catch (error) {
    if (error instanceof SettingsError) throw new CliError(EXIT.usage, error.message);
    throw error;
  }
}

/** The options that are text; those that are no settings are not looked at. */
export function settingTexts(
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const texts = Object.entries(options).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}

/** `config print` */
export async function configPrint(session: Session, call: Call): Promise<void> {
  const { printSettings } = await import('#settings');
  session.printRows(printSettings(await readSettings(session, call, true)), STYLE);
}
