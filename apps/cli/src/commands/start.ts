import type { ProcessPlan } from '#nest';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';
import type { PROCESS_NAMES } from '../tree/process-tree.js';
import { settingTexts } from './read-settings.js';

type ProcessName = (typeof PROCESS_NAMES)[number];

/** Loaded by name: a process of one module does not load the others. */
const PLANS: Readonly<Record<ProcessName, () => Promise<ProcessPlan>>> = {
  standalone: async () => (await import('../../../standalone/src/index.js')).standaloneProcess,
  oss: async () => (await import('../../../oss/src/index.js')).ossProcess,
  resource: async () => (await import('../../../resource/src/index.js')).resourceProcess,
  mysql: async () => (await import('../../../mysql/src/index.js')).mysqlProcess,
  monitor: async () => (await import('../../../monitor/src/index.js')).monitorProcess,
  lab: async () => (await import('../../../lab/src/index.js')).labProcess,
};

/** `start <process>`: runs until a signal ends it. */
export async function start(_session: Session, call: Call): Promise<ExitCode> {
  const name = textArg(call, 0) as ProcessName;
  const [{ runProcess }, plan] = await Promise.all([import('#nest'), PLANS[name]()]);
  const running = await runProcess(plan, settingTexts(call.options));
  // It has said why, and which exit code that is.
  if (running === null) return (process.exitCode ?? EXIT.endedOtherwise) as ExitCode;
  return new Promise(() => {});
}
