import { rmSync } from 'node:fs';
import path from 'node:path';
import {
  loadExecutors,
  type ProcessContext,
  type ProcessParts,
  startProcess,
  loseAttempt,
  TaskPaths,
} from '#process';
import { readStoredJson } from '#core/json';
import { loadSettings } from '#settings';
import { standaloneWith } from '../../apps/standalone/src/index.js';
import type { FromStage, StageOrder, ToStage } from './messages.js';
import { StageFaults } from './stage-faults.js';

/**
 * A whole Backstep in a process of its own, which a drill lets crash. Of the user's settings only
 * those count that it is given, so that nothing real is touched.
 */
const order = readStoredJson(process.argv[2] ?? '{}', 'the order') as StageOrder;

function tell(message: FromStage): void {
  process.send?.(message);
}

function endProcess(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  // The signal takes a moment; nothing may be answered meanwhile.
  return new Promise(() => undefined);
}

async function start(): Promise<void> {
  const { arming, executors, flags, folder, port } = order;
  const own = (await Promise.all(executors.map(loadExecutors))).flat();
  const plan = standaloneWith(own);
  const settings = loadSettings({
    mode: 'test',
    flags: {
      ...flags,
      store: `sqlite:${path.join(folder, 'backstep.db')}`,
      transport: 'memory:',
      data: folder,
      http: `127.0.0.1:${port}`,
      lab: 'on',
      governanceInterval: '100ms',
      log: 'silent',
    },
    cwd: folder,
  });
  const parts = async (context: ProcessContext): Promise<ProcessParts> => {
    const made = await plan.parts(context);
    const faults = new StageFaults(arming, {
      paths: new TaskPaths(context.store),
      endProcess,
      loseAttempt: (attempt) => loseAttempt(context, attempt),
      onAwaited: (awaited) => tell({ kind: 'waits', ...awaited }),
    });
    // In place of the switches of the lab.
    context.executors.useFaults((attempt) => faults.faultFor(attempt));
    listen(faults, context);
    // A child task that waits for an answer tells its parent nothing.
    context.engine.watch.watchAny(() => tell({ kind: 'moved' }));
    return made;
  };
  const { url } = await startProcess({ ...plan, parts }, settings);
  tell({ kind: 'ready', url });
}

function listen(faults: StageFaults, { executors }: ProcessContext): void {
  process.on('message', (message: ToStage) => {
    if (message.kind === 'arm') {
      faults.arm(message.arming);
      tell({ kind: 'armed' });
      return;
    }
    executors.residueOf(message.taskId).then(
      (items) => tell({ kind: 'residue', items }),
      (error: unknown) => tell({ kind: 'failed', message: textOf(error) }),
    );
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The process that started it is gone, so this process has nothing left to do.
process.on('disconnect', () => {
  rmSync(order.folder, { recursive: true, force: true });
  void endProcess();
});
process.umask(0o077);
start().catch((error: unknown) => {
  process.send?.({ kind: 'failed', message: textOf(error) }, () => void endProcess());
});
