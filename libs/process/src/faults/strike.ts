import { childPath, isOwedTask, type Outcome, type Task } from '#core';
import { timeIsOver } from '#executor';
import type { CommandContext, TaskStore } from '#ports';
import type { ProcessContext } from '../process-context.js';

/** How one attempt of a real command goes wrong. */
export interface Blow {
  /** Before the command is called, or after it has done its work. */
  readonly where: 'before' | 'after';
  readonly how: 'error' | 'time-out' | 'crash';
  /** Whether it ends its action for good; else the action is tried again as its flow says. */
  readonly isTerminal: boolean;
  readonly message: string;
  /** Code of the error. Default: the usual one of a failure. */
  readonly error?: string | undefined;
}

/** An attempt, and the ways to run it and to end its executor. */
interface StruckAttempt {
  readonly context: CommandContext;
  readonly command: () => Promise<Outcome>;
  /** Takes the attempt from its executor, as a crash does; resolves when it is lost, or never. */
  readonly crash: () => Promise<void>;
}

/** The parts of a process by which an attempt is taken from it. */
type Losing = Pick<ProcessContext, 'engine' | 'sessions'>;

/** The place of a task in its family. */
interface TaskPlace {
  /** Id of the outermost task around. */
  readonly root: string;
  /** Flow of that task. */
  readonly flow: string;
  /** The part before the ids of its runs in their paths: `each#3/`; '' for the outermost task. */
  readonly path: string;
}

/**
 * Lets an attempt go wrong. `isStruck` is false where it was to go wrong after its work, and the
 * command has not done it or has failed by itself: then the outcome is that of the command.
 */
export async function strike(
  { error, how, isTerminal, message, where }: Blow,
  { command, context, crash }: StruckAttempt,
): Promise<{ readonly outcome: Outcome; readonly isStruck: boolean }> {
  if (where === 'after') {
    const outcome = await command();
    const isDone = outcome.kind === 'succeeded' || outcome.kind === 'completes_later';
    if (!isDone) return { outcome, isStruck: false };
  }
  const coded = error !== undefined && { error };
  const failed: Outcome = { kind: 'failed', terminal: isTerminal, failure: 'FAILED', message };
  if (how === 'error') return { outcome: { ...failed, ...coded }, isStruck: true };
  if (how === 'crash') {
    await crash();
    // By now the attempt is another's, and nobody listens.
    return { outcome: { ...failed, terminal: false }, isStruck: true };
  }
  const outcome: Outcome = isTerminal
    ? { kind: 'timed_out', message }
    : timeIsOver(context, message);
  return { outcome, isStruck: true };
}

/**
 * Ends the session of this process, as its crash would, and goes on under the next one: everything
 * that it runs is lost, and governance has it started again. The gateway in the process stays.
 * Resolves when the attempt is lost. Throws `StoreUnavailable`.
 */
export async function loseAttempt(
  { engine, sessions }: Losing,
  { fencingToken, taskId }: CommandContext,
): Promise<void> {
  const { session } = engine.pieces.state;
  await sessions.closeSession(session.name);
  // The first renewal learns of the end and lets go of all commands, the second begins again.
  await session.renew();
  await session.renew();
  await new Promise<void>((resolve) => {
    let isLost = false;
    const stop = engine.watch.watch(taskId, (task) => {
      if (isLost || holdsLease(task, fencingToken)) return;
      isLost = true;
      // Not at once: a change may be told before `stop` is known.
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

/** Whether some action of the task is still under the lease with this token. */
function holdsLease({ runs }: Task, token: number): boolean {
  return runs.some(({ normal, rollback }) => {
    return normal.lease?.token === token || rollback?.lease?.token === token;
  });
}

/** Finds the places of tasks in their families, by which tests and drills name their runs. */
export class TaskPaths {
  readonly #places = new Map<string, Promise<TaskPlace>>();

  constructor(private readonly store: Pick<TaskStore, 'get'>) {}

  /** The task of a failure flow is the outermost one of a family of its own. */
  placeOf(taskId: string): Promise<TaskPlace> {
    const known = this.#places.get(taskId);
    if (known !== undefined) return known;
    const place = this.#find(taskId);
    this.#places.set(taskId, place);
    return place;
  }

  async #find(taskId: string): Promise<TaskPlace> {
    const task = await this.store.get(taskId);
    const { flow = '', parent = null } = task?.plan ?? {};
    if (parent === null || isOwedTask(parent)) return { root: taskId, flow, path: '' };
    const above = await this.placeOf(parent.taskId);
    return { ...above, path: `${above.path}${childPath(parent)}` };
  }
}
