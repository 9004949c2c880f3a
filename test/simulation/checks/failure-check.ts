import { FAILURE_RUN, type Task } from '#core';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';

/** Tasks of failure flows beside the tasks they are about, as the store has them. */
export class FailureCheck {
  /** Tasks that ended other than succeeded at some time, whatever a person made of them since. */
  private readonly ended = new Set<string>();
  /** By the task that it is about: the task of its failure flow. */
  private readonly started = new Map<string, string>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  look({ task }: Stored, before: Task | null): void {
    const { outcome, plan } = task;
    if (outcome !== null && outcome !== 'succeeded') this.ended.add(plan.taskId);
    if (before !== null || plan.parent === null || plan.parent.run !== FAILURE_RUN) return;
    const about = plan.parent.taskId;
    this.world.see('failure flow started');
    if (!this.ended.has(about)) this.fail(task, `began, and ${about} has not ended so`);
    const other = this.started.get(about);
    if (other !== undefined) this.fail(task, `began beside ${other}, about ${about}`);
    this.started.set(about, plan.taskId);
    const wanted = this.server.tasks.get(about)?.plan.failureFlow;
    if (plan.flow !== wanted) this.fail(task, `is a task of ${plan.flow}, not of ${wanted}`);
  }

  /** When everything is over: each task that wants one has it, and says which it is. */
  lookAtEnd(): void {
    for (const task of this.server.tasks.values()) {
      const { failureTask, outcome, plan } = task;
      const started = this.started.get(plan.taskId) ?? null;
      // One that a person had go on since, and that succeeded, need not be told any more.
      if (outcome === 'succeeded') continue;
      if ((failureTask?.taskId ?? null) !== started) {
        this.fail(task, `names ${failureTask?.taskId} as started, and ${started} was`);
      }
      if (plan.failureFlow === null || started !== null) continue;
      if (failureTask?.message) this.world.see('failure flow refused');
      else this.fail(task, `ended ${outcome}, and its failure flow is not started`);
    }
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I30', `${plan.taskId} r${revision}: ${message}`);
  }
}
