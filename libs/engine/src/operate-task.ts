import {
  type RetryRequested,
  type RollbackRequested,
  type SkipRequested,
  type TerminateRequested,
  transition,
} from '#core';
import type { StepRunner, TakenOver } from './step-runner.js';
import type { Decide, WriteResult } from './task-writer.js';

/** A person's action on a task. */
export type PersonsEvent = RollbackRequested | TerminateRequested | RetryRequested | SkipRequested;

/** What a person's action came to; `moved`: the task is not at the revision the person saw. */
export type OperateResult = WriteResult | { readonly kind: 'moved'; readonly revision: number };

/** Carries out persons' actions: events of the same `transition`, guarded by the same revision. */
export class TaskOperation {
  constructor(private readonly runner: StepRunner) {}

  /**
   * Applies an action; `revision`, when given, is the only one it may be applied to. Commands that
   * the task no longer wants are aborted, here at once and elsewhere at their next renewal. Throws
   * `StoreUnavailable`.
   */
  async operate(taskId: string, event: PersonsEvent, revision?: number): Promise<OperateResult> {
    const { runner } = this;
    const taken: TakenOver = { works: [] };
    let moved: number | null = null;
    const decide: Decide = (task, moment) => {
      runner.dropTaken(taken);
      moved = revision === undefined || task.revision === revision ? null : task.revision;
      if (moved !== null) return { kind: 'ignored', reason: 'repeated' };
      return transition(task, event, { moment, handOver: runner.handOver(taken) });
    };
    const result = await runner.writer.writeById(taskId, decide).catch((error: unknown) => {
      runner.dropTaken(taken);
      runner.adoptLater(taskId);
      throw error;
    });
    if (result.kind !== 'committed') {
      runner.dropTaken(taken);
      return moved === null ? result : { kind: 'moved', revision: moved };
    }
    void runner.runTaken(result.task, taken);
    await runner.sender.send(result.dispatches);
    return result;
  }
}
