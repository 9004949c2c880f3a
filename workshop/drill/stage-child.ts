import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from '#core';
import type { CommandFault } from '#executor';
import type { CommandContext } from '#ports';
import {
  type Blow,
  loadExecutors,
  loseAttempt,
  type ProcessContext,
  type ProcessParts,
  startProcess,
  strike,
  TaskPaths,
} from '#process';
import { readStoredJson } from '#core/json';
import { loadSettings } from '#settings';
import { standaloneWith } from '../../apps/standalone/src/index.js';
import type { ArmedFault, Arming, Awaited, FromStage, StageOrder, ToStage } from './messages.js';

/**
 * A whole Backstep in a process of its own, which a drill lets crash. Of the user's settings only
 * those count that it is given, so that nothing real is touched.
 */
const order = readStoredJson(process.argv[2] ?? '{}', 'the order') as StageOrder;

/** The operations and callbacks that the faults of a stage use. */
interface StageFaultParts {
  /** Finds the paths of runs in child tasks. */
  readonly paths: TaskPaths;
  /** Ends the process at once; resolves never. */
  readonly endProcess: () => Promise<never>;
  /** Takes the attempt from the process as its end would; resolves when it is lost. */
  readonly loseAttempt: (context: CommandContext) => Promise<void>;
  /** Called with an attempt that is completed from outside. */
  readonly onAwaited: (awaited: Awaited) => void;
}

const MESSAGE = 'made to fail by the drill';

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

/** Lets attempts of one flow go wrong before or after their real commands, as a drill wants. */
class StageFaults {
  #arming: Arming;

  constructor(
    arming: Arming,
    private readonly parts: StageFaultParts,
  ) {
    this.#arming = arming;
  }

  /** From now on these faults, and no others. */
  arm(arming: Arming): void {
    this.#arming = arming;
  }

  /** Stands in for one attempt of any command. */
  faultFor(context: CommandContext): CommandFault {
    return async (command) => {
      const fault = await this.#find(context);
      if (fault === undefined) return this.#run(context, command);
      const crash = (): Promise<void> => this.#crash(context);
      return (await strike(blowOf(fault), { context, command, crash })).outcome;
    };
  }

  async #find({ attempt, direction, run, taskId }: CommandContext) {
    const { faults, flow } = this.#arming;
    if (faults.length === 0) return undefined;
    const place = await this.parts.paths.placeOf(taskId);
    if (flow !== place.flow) return undefined;
    return faults.find((fault) => {
      return (
        fault.run === `${place.path}${run}` &&
        fault.direction === direction &&
        attempt <= (fault.attempts ?? Infinity)
      );
    });
  }

  async #run(context: CommandContext, command: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = await command();
    if (outcome.kind === 'completes_later') {
      const { attempt, completionToken: token, direction, run, taskId } = context;
      const step = direction === 'normal' ? context.step : null;
      const command = `${context.module}.${context.command}`;
      this.parts.onAwaited({ taskId, run, token, step, command, attempt });
    }
    return outcome;
  }

  /**
   * The first crash of a play is one. To Backstep those after it are no different if only the
   * session ends, and that takes no second.
   */
  async #crash(context: CommandContext): Promise<void> {
    await (this.#arming.hasCrashed ? this.parts.loseAttempt(context) : this.parts.endProcess());
  }
}

start().catch((error: unknown) => {
  process.send?.({ kind: 'failed', message: textOf(error) }, () => void endProcess());
});

/** A normal action fails for good, a rollback in a way that it is tried again after. */
function blowOf({ direction, how, where }: ArmedFault): Blow {
  const isTerminal = direction === 'normal';
  return { where: where === 'after' ? 'after' : 'before', how, isTerminal, message: MESSAGE };
}
