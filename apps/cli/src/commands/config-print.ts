import type { SettingRow } from '#settings';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { readSettings } from './read-settings.js';

const STYLE: RowStyle<SettingRow> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'VALUE', value: ({ value }) => value || '-' },
    { title: 'SOURCE', value: ({ source }) => source },
    { title: 'MEANING', value: ({ meaning }) => meaning },
  ],
};

/** `config print` */
export async function configPrint(session: Session, call: Call): Promise<ExitCode> {
  const { printSettings } = await import('#settings');
  session.printRows(printSettings(await readSettings(session, call, true)), STYLE);
  return EXIT.done;
}
