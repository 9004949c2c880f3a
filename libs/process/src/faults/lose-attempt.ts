import type { Task } from '#core';
import type { CommandContext } from '#ports';
import type { ProcessContext } from '../process-context.js';

/** The parts of a process by which an attempt is taken from it. */
type Losing = Pick<ProcessContext, 'engine' | 'sessions'>;

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
