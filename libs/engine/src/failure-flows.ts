import {
  failureKey,
  failureRequest,
  type FailureFlowTold,
  type FlowOfTask,
  proposeTask,
  refusalOfFlow,
  type Task,
  wantsFailureTask,
} from '#core';
import type { EngineParts } from './parts.js';
import { sealRequest } from './seal-request.js';
import type { TaskMover } from './task-mover.js';

/**
 * Starts the failure flows of tasks that ended other than succeeded, and tells the tasks. Ids
 * follow from those of the tasks, so that each is started once, whoever does it again. Anything
 * lost on the way is found at the task's own time.
 */
export class FailureFlows {
  private readonly underWay = new Set<string>();
  private isStopped = false;

  constructor(
    private readonly parts: EngineParts,
    private readonly mover: TaskMover,
  ) {}

  /** A document was stored that may want its failure flow to be started. Never throws. */
  tend(task: Task): void {
    const { taskId } = task.plan;
    if (this.isStopped || !wantsFailureTask(task) || this.underWay.has(taskId)) return;
    this.underWay.add(taskId);
    void this.start(task).finally(() => this.underWay.delete(taskId));
  }

  /** Begins no further one. */
  stop(): void {
    this.isStopped = true;
  }

  /** Never rejects. */
  private async start(task: Task): Promise<void> {
    const { taskId } = task.plan;
    try {
      await this.mover.tell(task, await this.store(task));
    } catch (error) {
      const message = `the failure flow of task ${taskId} could not start yet: ${String(error)}`;
      this.parts.observer.noticed({ level: 'warn', name: 'failure_flow_waits', message, taskId });
    }
  }

  /** Stores the task of the failure flow, unless it is there, and has its first steps started. */
  private async store(task: Task): Promise<FailureFlowTold> {
    const { failureFlow } = task.plan;
    const flow = failureFlow === null ? null : await this.parts.flows.getFlow(failureFlow);
    if (flow === null) {
      const message = `flow ${failureFlow} does not exist`;
      return { kind: 'failure_flow_told', taskId: null, message };
    }
    const message = refusalOfFlow(task.plan.limits, flow.definition);
    if (message !== null) return { kind: 'failure_flow_told', taskId: null, message };
    const taskId = this.parts.entropy.idOf(failureKey(task), { at: task.plan.createdAt });
    await this.mover.insertOnce(this.make(task, flow, taskId));
    return { kind: 'failure_flow_told', taskId };
  }

  private make(task: Task, flow: FlowOfTask, taskId: string) {
    const moment = this.mover.moment();
    const { definition } = flow;
    const { secrets } = this.mover;
    const request = sealRequest(secrets, failureRequest(task), { definition, taskId });
    return proposeTask(flow, request, { taskId, moment });
  }
}
