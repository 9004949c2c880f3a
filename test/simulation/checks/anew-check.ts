import { isFinal, type Task } from '#core';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';

/** Tasks that persons have started again, beside the tasks that they are made from. */
export class AnewCheck {
  /** Tasks that have ended at some time. */
  private readonly ended = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  look({ task }: Stored, before: Task | null): void {
    const { restartOf, taskId } = task.plan;
    if (isFinal(task.status)) this.ended.add(taskId);
    if (before !== null || restartOf === null) return;
    this.world.see('task started anew');
    const fault = this.faultOf(task, this.server.tasks.get(restartOf));
    if (fault !== null)
      this.world.violate('I33', `${taskId}, which is ${restartOf} anew, ${fault}`);
  }

  private faultOf({ plan }: Task, former: Task | undefined): string | null {
    if (former === undefined) return 'has no former task';
    if (!this.ended.has(former.plan.taskId)) return 'began, and the former has not ended';
    if (plan.flow !== former.plan.flow) return `is a task of ${plan.flow}`;
    if (JSON.stringify(plan.parameters) !== JSON.stringify(former.plan.parameters)) {
      return `has the parameters ${JSON.stringify(plan.parameters)}`;
    }
    return plan.parent === null ? null : `is a child of ${plan.parent.taskId}`;
  }
}
