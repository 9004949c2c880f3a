import type { Proposal } from '#core';
import { messagesOf } from './dispatched.js';
import type { EngineParts } from './parts.js';
import { Reservation } from './reservation.js';
import type { StepRunner } from './step-runner.js';

/**
 * Stores a new task whose id follows from what it is for, with claims on those of its first steps
 * that this process can run, and has them started. One that is there already is left to the
 * process that stored it, and to its own time: its flow may be of another version. Where it was
 * this process and the answer was lost, its claims are looked for. Throws `StoreUnavailable`.
 */
export async function storeChild(
  { observer, store }: Pick<EngineParts, 'observer' | 'store'>,
  runner: StepRunner,
  proposal: Proposal,
): Promise<void> {
  const reservation = new Reservation(runner.slots);
  const moved = runner.concluded(proposal, reservation);
  const { entries, queued, task } = moved;
  const { taskId } = task.plan;
  try {
    const { kind } = await store.insert(task);
    if (kind !== 'inserted') {
      reservation.release();
      const found = await store.get(taskId);
      if (found !== null) runner.strays.lookIn(found);
      return;
    }
  } catch (error) {
    reservation.release();
    runner.strays.lookLater(taskId);
    throw error;
  }
  observer.committed(task, entries);
  runner.writer.tell(task, moved);
  runner.onSoon(task);
  void runner.runReserved(task, reservation);
  await runner.sender.send(messagesOf(store, task, queued));
}
