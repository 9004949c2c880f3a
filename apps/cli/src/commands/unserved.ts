import { plainLine } from '#wording';
import type { TaskReceipt } from '../client/types.js';
import type { Session } from '../session.js';

/** How long somebody who started a task waits for a warning at most, in milliseconds. */
const ANSWER_MS = 2_000;

/**
 * Warns where no executor serves a module that the task's flow uses: the task waits for one,
 * however long. Says nothing where the modules cannot be found out now.
 */
export async function warnOfUnserved(session: Session, receipt: TaskReceipt): Promise<void> {
  const missing = await unservedModules(session, receipt).catch(() => []);
  session.signal.throwIfAborted();
  for (const module of missing) {
    const list = session.typed('executor list');
    session.say(
      `warning: no executor serves module ${plainLine(module)}; its steps wait for one (${list})`,
    );
  }
}

async function unservedModules(
  session: Session,
  { flow, flowVersion }: TaskReceipt,
): Promise<readonly string[]> {
  const client = session.brief(ANSWER_MS);
  const [executors, { steps }] = await Promise.all([
    client.listExecutors(),
    client.getFlow(flow, `${flowVersion}`),
  ]);
  const served = new Set(executors.items.map(({ module }) => module));
  return [...modulesIn(steps)].filter((module) => !served.has(module)).toSorted();
}

/** The modules of all actions, in steps of whatever kind. */
function modulesIn(steps: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(steps)) for (const step of steps) modulesIn(step, found);
  else if (typeof steps === 'object' && steps !== null) addModules(steps, found);
  return found;
}

function addModules(node: object, found: Set<string>): void {
  const { command, module } = node as { readonly command?: unknown; readonly module?: unknown };
  if (typeof module === 'string' && typeof command === 'string') {
    found.add(module);
    return;
  }
  for (const member of Object.values(node)) modulesIn(member, found);
}
