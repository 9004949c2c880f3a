import { existsSync } from 'node:fs';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { addressLines } from './addresses.js';
import { settingTexts } from './read-settings.js';

/** `dev`: everything in one process, with the practice module, until a signal ends it. */
export async function dev(session: Session, call: Call): Promise<ExitCode> {
  const [{ runProcess }, { standaloneProcess }] = await Promise.all([
    import('#nest'),
    import('../../../standalone/src/index.js'),
  ]);
  const running = await runProcess(standaloneProcess, settingTexts(call.options), 'dev');
  if (running === null) return (process.exitCode ?? EXIT.endedOtherwise) as ExitCode;
  const { store, data, flows } = running.context.settings;
  session.say('');
  for (const line of addressLines(running.url)) session.say(line);
  session.say(`  Data      ${store.kind === 'sqlite' ? store.file : 'in MongoDB'} and ${data}`);
  session.say(`            (kept between runs; delete the folder to forget)`);
  session.say(`  Flows     ${flows} (edits are taken at once)`);
  if (!existsSync(flows))
    session.say('            There is no such folder yet: make it, or --flows');
  session.say('\nNext, in another terminal:');
  session.say(`  backstep task start create-db-instance cpu=4 memory=8 storage=500 --watch`);
  session.say('  backstep task start lab-fail-last --watch');
  session.say('  backstep flow list\n');
  return new Promise(() => {});
}
