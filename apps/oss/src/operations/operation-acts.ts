import { Inject, Injectable } from '@nestjs/common';
import { assertNever, type JsonObject, type PersonsAction, type Task } from '#core';
import { Problem, problemOf } from '#http-server';
import type { OperationAction, OperationRecord, Secrets } from '#ports';
import { TransportUnavailable } from '#ports';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { TaskActs } from '../access/may-act.js';
import { restartReader } from '../requests/operate.request.js';
import { taskNotFound } from '../tasks/find-task.js';
import { refusal, type Verb, VERBS } from '../tasks/task-verbs.js';
import { approvalText } from './consent.js';
import type { Acted } from './operation-change.js';
import { principalOf } from './operation-tasks.js';
import { openDetails } from './operation-secrets.js';

/** Errors that say that a task is not there to be acted on, whatever the action. */
const FAILURES: ReadonlySet<string> = new Set(['TASK_NOT_FOUND', 'TASK_UNREADABLE', 'INTERNAL']);

/** Does to one task what an operation wants, as if the person had done it to that task. */
@Injectable()
export class OperationActs {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly acts: TaskActs,
  ) {}

  /**
   * Acts on one task and gives the outcome; `again`: it is not known, because a server did not
   * answer or has no room now. However often it is called for one task of an operation, the task is
   * acted on once: the idempotency key follows from the two. Never rejects.
   */
  async act(record: OperationRecord, taskId: string): Promise<Acted | 'again'> {
    try {
      await this.attempt(record, taskId);
      return { taskId, outcome: 'done' };
    } catch (error) {
      return this.judge(record, taskId, error);
    }
  }

  private attempt(record: OperationRecord, taskId: string): Promise<void> {
    const { action } = record.order;
    if (action === 'restart') return this.restart(record, taskId);
    if (action === 'delete') return this.delete(record, taskId);
    return this.operate(record, { action, taskId });
  }

  private async operate(
    record: OperationRecord,
    { action, taskId }: { readonly action: Verb & OperationAction; readonly taskId: string },
  ): Promise<void> {
    const task = await this.stored(taskId);
    const body = bodyOf(record, this.options.secrets);
    const event = VERBS[action].read(body, () => personOf(record, taskId));
    const act = { principal: principalOf(record.requester), task, verb: action, event };
    const { isDryRun } = record.order;
    const terms = { isApproved: isApproved(record) };
    const result = await (isDryRun ? this.acts.foresee(act) : this.acts.operate(act, terms));
    switch (result?.kind) {
      case 'committed':
      case 'proposed':
      case 'ignored':
        return;
      case 'refused':
        throw refusal(result, action);
      case 'missing':
        throw taskNotFound(taskId);
      case 'moved':
      case undefined:
        throw new Error('no revision was asked for, and nothing waits');
      default:
        assertNever(result);
    }
  }

  private async restart(record: OperationRecord, taskId: string): Promise<void> {
    const task = await this.stored(taskId);
    const { parameters } = restartReader.read(bodyOf(record, this.options.secrets));
    const { actor, key, reason } = personOf(record, taskId);
    const principal = principalOf(record.requester);
    const shown = { operator: actor };
    const origin = { actor, principal, shown, idempotencyKey: key, traceparent: null, reason };
    const order = { task, parameters, origin };
    if (record.order.isDryRun) await this.acts.foreseeRestart(order);
    else await this.acts.restart(order, { isApproved: isApproved(record) });
  }

  /** A task that is gone is deleted: this operation may have done it before. */
  private async delete(record: OperationRecord, taskId: string): Promise<void> {
    const task = await this.options.store.get(taskId);
    if (task === null) return;
    const order = { principal: principalOf(record.requester), task };
    if (record.order.isDryRun) await this.acts.foreseeDelete(order);
    else await this.acts.delete(order, { isApproved: isApproved(record) });
  }

  private async stored(taskId: string): Promise<Task> {
    const task = await this.options.store.get(taskId);
    if (task === null) throw taskNotFound(taskId);
    return task;
  }

  private judge({ operationId, order }: OperationRecord, taskId: string, error: unknown) {
    if (error instanceof TransportUnavailable) return 'again';
    const problem = problemOf(error);
    if (isPassing(problem, order.action)) return 'again';
    const { code, message } = problem;
    if (code === 'INTERNAL') {
      const text = `operation ${operationId} met an internal error at task ${taskId}`;
      const name = 'internal_error';
      this.options.observer.noticed({ level: 'error', name, message: text, taskId, error });
    }
    const outcome = FAILURES.has(code) ? 'failed' : 'refused';
    return { taskId, outcome, code, message } as const;
  }
}

/** Whether it is about a server, or about how much there is room for, and not about the task. */
function isPassing({ code, status }: Problem, action: OperationAction): boolean {
  return status === 503 || (code === 'TOO_MANY_REQUESTS' && action === 'restart');
}

function isApproved({ consent }: OperationRecord): boolean {
  return consent?.decision?.isApproved === true;
}

function bodyOf(record: OperationRecord, secrets: Secrets): JsonObject {
  return { ...openDetails(secrets, record), reason: record.order.reason };
}

/** Whoever asked, as the task's journal tells it. */
function personOf(record: OperationRecord, taskId: string): PersonsAction {
  const { operationId, order, requester } = record;
  return {
    actor: requester.actor,
    reason: `${order.reason} (operation ${operationId}${approvalText(record)})`,
    key: `operation ${operationId} ${taskId}`,
  };
}
