import type { Moment } from '../task/event.js';
import { DEPTH_MAX } from '../task/parent.js';
import { lookAgainAt } from '../task/retry-delay.js';
import type { TaskOutcome } from '../task/status.js';
import type { FailureTask, Task } from '../task/task.js';

/** The state of a task's failure flow, on its way to the next document of the task. */
export class FailureChange {
  task: FailureTask | null;

  constructor(
    private readonly base: Task,
    private readonly moment: Moment,
  ) {
    this.task = base.failureTask;
  }

  /** The task ends: unless it succeeded, its failure flow is started, once in its life. */
  endTask(outcome: TaskOutcome): void {
    if (outcome === 'succeeded' || this.base.plan.failureFlow === null) return;
    if (this.task === null || this.task.dueAt !== null) this.ask(1);
  }

  /** Has the engine start the failure flow, now and, should that be lost, after a while. */
  ask(looks: number): void {
    const { moment } = this;
    const isTooDeep = (this.base.plan.parent?.depth ?? 0) >= DEPTH_MAX;
    this.task = isTooDeep
      ? { taskId: null, message: TOO_DEEP, looks, dueAt: null }
      : {
          taskId: null,
          message: null,
          looks,
          dueAt: lookAgainAt({ moment, now: moment.now }, looks),
        };
  }
}

const TOO_DEEP = `tasks are nested at most ${DEPTH_MAX} deep`;
