import { existsSync } from 'node:fs';
import type { RunningProcess } from '#process';
import type { ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { addressLines } from './addresses.js';
import { executorFiles, ownModules, packageOf } from './own-executors.js';
import { settingTexts } from './read-settings.js';
import { saySignIn } from './sign-in-link.js';
import { whenStarted } from './start-process.js';

/**
 * `dev`: everything in one process, with the practice module, until a signal ends it. With
 * `--executors` that process is a child, which starts again when the files change or it crashes.
 */
export async function dev(session: Session, call: Call): Promise<ExitCode> {
  const files = executorFiles(session, call);
  if (files.length > 0 && call.options['watch'] !== false) {
    const { runAnew } = await import('../dev/run-anew.js');
    return runAnew(session, files);
  }
  const running = await startedOrRefused(session, startDev(files, call));
  if (typeof running === 'number') return running;
  if (files.length > 0) (await import('../dev/child.js')).tellParent(running);
  await sayWhere(session, running);
  return new Promise(() => {});
}

/** The same as `whenStarted`, and a process that watches this one learns of a refusal. */
async function startedOrRefused(
  session: Session,
  started: Promise<RunningProcess | null>,
): Promise<RunningProcess | ExitCode> {
  let running: RunningProcess | ExitCode | undefined;
  try {
    running = await whenStarted(session, started);
    return running;
  } finally {
    if (typeof running !== 'object') await (await import('../dev/child.js')).tellRefusal();
  }
}

async function startDev(files: readonly string[], call: Call): Promise<RunningProcess | null> {
  const [{ runProcess }, { standaloneWith }, own, build] = await Promise.all([
    import('#process'),
    import('../../../standalone/src/index.js'),
    ownModules(files),
    packageOf(files),
  ]);
  return runProcess({ ...standaloneWith(own), build }, settingTexts(call.options), 'dev');
}

/** The modules that Backstep has itself. */
const OWN_MODULES = new Set(['http', 'lab', 'monitor', 'mysql', 'resource']);

/** Shipped flows that show the most, and how they are started. */
const SHIPPED = [
  ['create-db-instance', 'create-db-instance cpu=4 memory=8 storage=500 --watch'],
  ['lab-fail-last', 'lab-fail-last --watch'],
] as const;

/** Names of the flows of which a task can be made now; none where that cannot be found out. */
async function startableFlows(session: Session, url: string): Promise<readonly string[]> {
  try {
    const { items } = await session.brief(ANSWER_MS, url).listFlows();
    return items.flatMap(({ name, startable }) => (startable === false ? [] : [name]));
  } catch {
    // It may ask for a key.
    return [];
  }
}

/** How long the process itself may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

async function sayWhere(session: Session, { context, url }: RunningProcess): Promise<void> {
  const startable = new Set(await startableFlows(session, url));
  const starts = SHIPPED.filter(([flow]) => startable.has(flow));
  const { executors, settings } = context;
  const { store, data, flows } = settings;
  session.say('');
  for (const line of addressLines(url)) session.say(line);
  saySignIn(session, { localToken: context.localToken, url });
  session.say(`  Data      ${store.kind === 'sqlite' ? store.file : 'in MongoDB'} and ${data}`);
  session.say(`            (kept between runs; to forget it, stop this, then delete the folder)`);
  session.say(`  Flows     ${flows} (read again after each edit)`);
  if (!existsSync(flows))
    session.say('            (it does not exist yet: create it, or name another one with --flows)');
  const others = executors.modules().filter((module) => !OWN_MODULES.has(module));
  for (const module of others) {
    session.say(`  Module    ${module}: ${executors.commands(module).join(', ')}`);
  }
  session.say('\nNext, in another terminal, from this folder:');
  for (const [, start] of starts) session.say(`  ${session.typed(`task start ${start}`, url)}`);
  session.say(`  ${session.typed('flow list', url)}\n`);
}
