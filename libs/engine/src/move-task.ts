import type { Decision, HandOver, Moment, Task } from '#core';
import type { StepRunner, TakenOver } from './step-runner.js';
import type { Decide, WriteResult } from './task-writer.js';

/** Decides on a document with the offer to take over what it queues; called again on conflict. */
export type DecideMove = (
  task: Task,
  options: { readonly moment: Moment; readonly handOver: HandOver },
) => Decision;

/**
 * Writes a decision whose next steps this process may take itself, and starts those it took.
 * `start`: the document, or an id to load it by. Its messages are left to the caller. Throws
 * `StoreUnavailable`; what the lost write may have claimed is then looked for.
 */
export async function moveTask(
  runner: StepRunner,
  start: Task | string,
  decide: DecideMove,
): Promise<WriteResult> {
  const taken: TakenOver = { works: [] };
  const repeatable: Decide = (task, moment) =>
    decide(task, { moment, handOver: runner.handOver(taken) });
  try {
    const result = await (typeof start === 'string'
      ? runner.writer.writeById(start, repeatable)
      : runner.writer.write(start, repeatable));
    if (result.kind === 'committed') void runner.runTaken(result.task, taken);
    else runner.dropTaken(taken);
    return result;
  } catch (error) {
    runner.dropTaken(taken);
    runner.adoptLater(typeof start === 'string' ? start : start.plan.taskId);
    throw error;
  }
}
