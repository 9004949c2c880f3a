import type { ProcessPlan, RunningProcess } from '#process';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';
import type { PROCESS_NAMES } from '../tree/process-tree.js';
import { executorFiles, ownModules, packageOf } from './own-executors.js';
import { settingTexts } from './read-settings.js';
import { saySignIn } from './sign-in-link.js';
import { whenStarted } from './start-process.js';

type ProcessName = (typeof PROCESS_NAMES)[number];

/** Loaded by name: a process of one module does not load the others. */
const PLANS: Readonly<Record<ProcessName, () => Promise<ProcessPlan>>> = {
  standalone: async () => (await import('../../../standalone/src/index.js')).standaloneProcess,
  oss: async () => (await import('../../../oss/src/index.js')).ossProcess,
  resource: async () => (await import('../../../resource/src/index.js')).resourceProcess,
  mysql: async () => (await import('../../../mysql/src/index.js')).mysqlProcess,
  monitor: async () => (await import('../../../monitor/src/index.js')).monitorProcess,
  http: async () => (await import('../../../http/src/index.js')).httpProcess,
  lab: async () => (await import('../../../lab/src/index.js')).labProcess,
};

/** `start [process]`: runs until a signal ends it. */
export async function start(session: Session, call: Call): Promise<ExitCode> {
  const files = executorFiles(session, call);
  const running = await whenStarted(session, startNamed(files, call));
  if (typeof running === 'number') return running;
  const [name] = call.args as readonly [ProcessName | undefined];
  const { context, url } = running;
  if (name === 'standalone' || name === 'oss') {
    saySignIn(session, { localToken: context.localToken, url });
  }
  return new Promise(() => {});
}

async function startNamed(files: readonly string[], call: Call): Promise<RunningProcess | null> {
  const [name] = call.args as readonly [ProcessName | undefined];
  const [{ runProcess }, plan] = await Promise.all([import('#process'), planOf(name, files)]);
  return runProcess(plan, settingTexts(call.options));
}

async function planOf(
  name: ProcessName | undefined,
  files: readonly string[],
): Promise<ProcessPlan> {
  if (files.length === 0) {
    if (name !== undefined) return PLANS[name]();
    throw new CliError(EXIT.usage, 'say which process to start, or --executors <file>');
  }
  if (name !== undefined && name !== 'standalone') {
    throw new CliError(
      EXIT.usage,
      `${name} runs its own executors only: leave it out, or say standalone`,
    );
  }
  const [own, build] = await Promise.all([ownModules(files), packageOf(files)]);
  const plan =
    name === undefined
      ? (await import('#process')).executorPlan({ modules: own })
      : (await import('../../../standalone/src/index.js')).standaloneWith(own);
  return { ...plan, build };
}
