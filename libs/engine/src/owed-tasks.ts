import {
  alertKey,
  alertRequest,
  type AlertTold,
  failureKey,
  failureRequest,
  type FailureFlowTold,
  type FlowOfTask,
  isFinal,
  propose,
  proposeTask,
  refusalOfFlow,
  type Task,
  type TaskRequest,
  wantsAlertTask,
  wantsFailureTask,
} from '#core';
import { alertFlow } from './alert-flow.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { sealRequest } from './seal-request.js';
import type { TaskMover } from './task-mover.js';

/**
 * Starts the tasks that other tasks owe, and tells these: failure flows of tasks that ended other
 * than succeeded, and alert tasks of those whose rollback failed. Ids follow from those of the
 * tasks, so that each is started once, whoever does it again. Anything lost on the way is found at
 * the task's own time.
 */
export class OwedTasks {
  private readonly underWay = new Set<string>();
  private readonly alertFlow: FlowOfTask;
  private isStopped = false;

  constructor(
    private readonly parts: EngineParts,
    { alertAction }: EngineSettings,
    private readonly mover: TaskMover,
  ) {
    this.alertFlow = alertFlow(alertAction);
  }

  /** A document was stored that may want its failure flow to be started. Never throws. */
  startFailureFlow(task: Task): void {
    if (!wantsFailureTask(task)) return;
    this.begin(failureKey(task), { task, name: 'failure_flow_waits' }, async () => {
      await this.mover.tell(task, await this.storeFailure(task));
    });
  }

  /** A document was stored that may want an alert task to be started. Never throws. */
  startAlert(task: Task): void {
    if (!wantsAlertTask(task)) return;
    this.begin(alertKey(task, numberOf(task)), { task, name: 'alert_waits' }, async () => {
      await this.mover.tell(task, await this.storeAlert(task));
    });
  }

  /** A person has acted on a task: its alert task of that number ends. Never throws. */
  endAlert(task: Task, number: number): void {
    const key = `end of ${alertKey(task, number)}`;
    this.begin(key, { task, name: 'alert_goes_on' }, () => this.terminate(task, number));
  }

  /** Begins no further one. */
  stop(): void {
    this.isStopped = true;
  }

  /** Does each once at a time. `name`: of the notice of what was not done now. */
  private begin(
    key: string,
    { name, task }: { readonly task: Task; readonly name: string },
    work: () => Promise<void>,
  ): void {
    if (this.isStopped || this.underWay.has(key)) return;
    this.underWay.add(key);
    const { taskId } = task.plan;
    void work()
      .catch((error: unknown) => {
        const message = `${NOT_NOW[name]} of task ${taskId}: ${String(error)}`;
        this.parts.observer.noticed({ level: 'warn', name, message, taskId });
      })
      .finally(() => this.underWay.delete(key));
  }

  /** Stores the task of the failure flow, unless it is there, and has its first steps started. */
  private async storeFailure(task: Task): Promise<FailureFlowTold> {
    const { failureFlow } = task.plan;
    const flow = failureFlow === null ? null : await this.parts.flows.getFlow(failureFlow);
    if (flow === null) {
      const message = `flow ${failureFlow} does not exist`;
      return { kind: 'failure_flow_told', taskId: null, message };
    }
    const message = refusalOfFlow(task.plan.limits, flow.definition);
    if (message !== null) return { kind: 'failure_flow_told', taskId: null, message };
    const taskId = this.idOf(task, failureKey(task));
    await this.insert(flow, failureRequest(task), taskId);
    return { kind: 'failure_flow_told', taskId };
  }

  /** Stores the alert task, unless it is there; an earlier one under way tells of this failure. */
  private async storeAlert(task: Task): Promise<AlertTold> {
    const number = numberOf(task);
    const earlier = task.alert?.taskId ?? null;
    if (earlier !== null) {
      const found = await this.parts.store.get(earlier);
      const isOpen = found !== null && !isFinal(found.status);
      if (isOpen) return { kind: 'alert_told', number, taskId: earlier };
    }
    const taskId = this.idOf(task, alertKey(task, number));
    await this.insert(this.alertFlow, alertRequest(task), taskId);
    return { kind: 'alert_told', number, taskId };
  }

  /** It may have ended, or may not be stored: both are fine. */
  private async terminate(task: Task, number: number): Promise<void> {
    const actor = `task ${task.plan.taskId}`;
    const told = { actor, reason: 'a person has acted', key: null };
    const event = { kind: 'terminate_requested', ...told } as const;
    await this.mover.move(this.idOf(task, alertKey(task, number)), (current, moment) =>
      propose(current, event, { moment }),
    );
  }

  private idOf({ plan }: Task, key: string): string {
    return this.parts.entropy.idOf(key, { at: plan.createdAt });
  }

  private async insert(flow: FlowOfTask, wanted: TaskRequest, taskId: string): Promise<void> {
    const { mover } = this;
    const { definition } = flow;
    const request = sealRequest(mover.secrets, wanted, { definition, taskId });
    await mover.insertOnce(proposeTask(flow, request, { taskId, moment: mover.moment() }));
  }
}

const NOT_NOW: Readonly<Record<string, string>> = {
  failure_flow_waits: 'the failure flow could not start yet',
  alert_waits: 'an alert task could not start yet',
  alert_goes_on: 'an alert task could not be ended',
};

function numberOf({ alert }: Task): number {
  return alert?.number ?? 0;
}
