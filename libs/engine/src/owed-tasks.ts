import {
  type Action,
  ALERT_FLOW,
  type AlertTold,
  type EndedAlert,
  type EventOf,
  type FlowOfTask,
  isFinal,
  type Task,
  type TaskRequest,
} from '#core';
import {
  alertKey,
  alertRequest,
  failureKey,
  failureRequest,
  isCalledBy,
  wantsAlertTask,
  wantsFailureTask,
} from '#core/children';
import { refusalOfFlow } from '#core/flow';
import { propose } from '#core/transitions';
import { LabelsFailed } from '#core/values';
import type { AlertAction, EngineParts, EngineSettings } from './parts.js';
import { sealRequest } from './sealing.js';
import type { TaskMover } from './task-mover.js';

/** An alert task is tried until a person has the alert: neither time nor attempts end it. */
const ALWAYS: Omit<Action, 'command' | 'module'> = {
  timeoutMs: Number.MAX_SAFE_INTEGER,
  attemptTimeoutMs: 30_000,
  retry: {
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: 'exponential',
    delayMs: 1_000,
    maxDelayMs: 60_000,
    jitter: true,
  },
  // A lost attempt is one of its retries, which never end and wait longer each time.
  onCrash: { restarts: 0 },
  parameters: null,
};

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
    const about = task.plan.taskId;
    this.begin(failureKey(task), { about, name: 'failure_flow_waits' }, async () => {
      await this.mover.tell(task, await this.storeFailure(task));
    });
  }

  /** A document was stored that may want an alert task to be started. Never throws. */
  startAlert(task: Task): void {
    if (!wantsAlertTask(task)) return;
    const about = task.plan.taskId;
    this.begin(alertKey(task, numberOf(task)), { about, name: 'alert_waits' }, async () => {
      await this.mover.tell(task, await this.storeAlert(task));
    });
  }

  /** A person has acted on a task: these alert tasks of it end. Never throws. */
  endAlert(task: Task, { number, taskId }: EndedAlert): void {
    const own = this.idOf(task, alertKey(task, number));
    for (const id of new Set([own, taskId ?? own])) this.end(task, id);
  }

  /** An alert task waits: it ends unless its parent calls a person by it. Never throws. */
  tendAlert({ plan: { parent, taskId } }: Task): void {
    if (parent === null) return;
    const about = parent.taskId;
    this.begin(`look at ${taskId}`, { about, name: 'alert_goes_on' }, async () => {
      const task = await this.parts.store.get(about);
      if (task !== null && isCalledBy(task, { number: parent.index, taskId })) return;
      await this.terminate(about, taskId);
    });
  }

  /** Begins no further one. */
  stop(): void {
    this.isStopped = true;
  }

  /** Does each once at a time. `name`: of the notice of what was not done now. */
  private begin(
    key: string,
    { about: taskId, name }: { readonly about: string; readonly name: string },
    work: () => Promise<void>,
  ): void {
    if (this.isStopped || this.underWay.has(key)) return;
    this.underWay.add(key);
    void work()
      .catch((error: unknown) => {
        const message = `${NOT_NOW[name]} of task ${taskId}: ${String(error)}`;
        this.parts.observer.noticed({ level: 'warn', name, message, taskId });
      })
      .finally(() => this.underWay.delete(key));
  }

  /** Stores the task of the failure flow, unless it is there, and has its first steps started. */
  private async storeFailure(task: Task): Promise<EventOf<'failure_flow_told'>> {
    const { failureFlow } = task.plan;
    const flow = failureFlow === null ? null : await this.parts.flows.getFlow(failureFlow);
    if (flow === null) {
      const message = `flow ${failureFlow} does not exist`;
      return { kind: 'failure_flow_told', taskId: null, message };
    }
    const message = refusalOfFlow(task.plan.limits, flow.definition);
    if (message !== null) return { kind: 'failure_flow_told', taskId: null, message };
    const taskId = this.idOf(task, failureKey(task));
    try {
      await this.insert(flow, failureRequest(task), taskId);
      return { kind: 'failure_flow_told', taskId };
    } catch (error) {
      if (!(error instanceof LabelsFailed)) throw error;
      return {
        kind: 'failure_flow_told',
        taskId: null,
        message: `flow ${failureFlow}: ${error.message}`,
      };
    }
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

  private end({ plan: { taskId: about } }: Task, taskId: string): void {
    const name = 'alert_goes_on';
    this.begin(`end of ${taskId}`, { about, name }, () => this.terminate(about, taskId));
  }

  /** It may have ended, or may not be stored: both are fine. */
  private async terminate(about: string, taskId: string): Promise<void> {
    const actor = `task ${about}`;
    const told = { actor, reason: 'a person has acted', key: null };
    const event = { kind: 'terminate_requested', ...told } as const;
    await this.mover.move(taskId, (current, moment) => propose(current, event, { moment }));
  }

  private idOf({ plan }: Task, key: string): string {
    return this.parts.entropy.idOf(key, { at: plan.createdAt });
  }

  private async insert(flow: FlowOfTask, wanted: TaskRequest, taskId: string): Promise<void> {
    const { definition } = flow;
    const request = sealRequest(this.mover.secrets, wanted, { definition, taskId });
    await this.mover.insertOnce(flow, request, taskId);
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

/** The flow of tasks that call a person by a command: one step, with nothing to undo. */
function alertFlow(action: AlertAction): FlowOfTask {
  const normal = { ...action, ...ALWAYS };
  const steps = [{ name: 'alert', needs: [], normal, rollback: null }];
  const definition = { name: ALERT_FLOW, description: null, input: null, timeoutMs: null, steps };
  return { definition, version: 1 };
}
