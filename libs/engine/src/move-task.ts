import type { Moment, Proposed, Task } from '#core';
import { Reservation } from './reservation.js';
import type { StepRunner } from './step-runner.js';
import type { Decide, WriteResult } from './task-writer.js';

/** Proposes a change of a document, once more for a newer one. Must be repeatable. */
type Propose = (task: Task, moment: Moment) => Proposed;

/**
 * Writes what is proposed, with claims on those of the steps it queues that this process can run,
 * and starts those. `start`: the document, or an id to load it by. Its messages are left to the
 * caller. Throws `StoreUnavailable`; what the lost write may have claimed is then looked for.
 */
export async function moveTask(
  runner: StepRunner,
  start: Task | string,
  proposeFor: Propose,
): Promise<WriteResult> {
  const reservation = new Reservation(runner.slots);
  const claiming: Decide = (task, moment) =>
    runner.claimQueued(proposeFor(task, moment), reservation);
  try {
    const result = await (typeof start === 'string'
      ? runner.writer.writeById(start, claiming)
      : runner.writer.write(start, claiming));
    if (result.kind === 'committed') void runner.runReserved(result.task, reservation);
    else reservation.release();
    return result;
  } catch (error) {
    reservation.release();
    runner.strays.lookLater(typeof start === 'string' ? start : start.plan.taskId);
    throw error;
  }
}
