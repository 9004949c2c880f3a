import type { Moment } from '../task/event.js';
import { LockChange } from './lock-change.js';
import { DEPTH_MAX } from '../task/parent.js';
import { lookAgainAt } from '../task/retry-delay.js';
import type { TaskOutcome } from '../task/status.js';
import type { FailureTask, Task } from '../task/task.js';

/** The state of a task's failure flow, on its way to the next document of the task. */
export abstract class FailureChange extends LockChange {
  failureTask: FailureTask | null;

  constructor(base: Task, now: number) {
    super(base, now);
    this.failureTask = base.failureTask;
  }

  abstract readonly moment: Moment;

  /** Ends the task; one that did not succeed has its failure flow started, once in its life. */
  override endTask(outcome: TaskOutcome): void {
    super.endTask(outcome);
    if (outcome === 'succeeded' || this.plan.failureFlow === null) return;
    const { failureTask } = this;
    if (failureTask === null || failureTask.dueAt !== null) this.askForFailureTask(1);
  }

  /** Has somebody start the failure flow, now and, should that be lost, after a while. */
  askForFailureTask(looks: number): void {
    const isTooDeep = (this.plan.parent?.depth ?? 0) >= DEPTH_MAX;
    const dueAt = lookAgainAt(this, looks);
    this.failureTask = isTooDeep
      ? { taskId: null, message: TOO_DEEP, looks, dueAt: null }
      : { taskId: null, message: null, looks, dueAt };
  }
}

const TOO_DEEP = `tasks are nested at most ${DEPTH_MAX} deep`;
