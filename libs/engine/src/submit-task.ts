import type { FlowOfTask, OnlyStep, Task, TaskRequest } from '#core';
import type { ExecutorDirectory } from './executor-directory.js';
import type { EngineParts } from './parts.js';
import { sealGiven, sealRequest } from './sealing.js';
import type { TaskMover } from './task-mover.js';

/** The result of a submission. `duplicate`: the idempotency key belongs to the task given. */
export interface Submitted {
  readonly kind: 'created' | 'duplicate';
  readonly task: Task;
}

/** Takes requests for tasks. */
export class TaskSubmission {
  constructor(
    private readonly parts: EngineParts,
    private readonly mover: TaskMover,
    private readonly directory: Pick<ExecutorDirectory, 'secretsOf'>,
  ) {}

  /**
   * Makes a task of a flow and a request and stores it durably; its first steps start here or are
   * sent to their modules. Resolves once it is stored. Throws `StoreUnavailable`, after which the
   * task may exist all the same: a repetition with the same idempotency key finds out. Throws
   * `LabelsFailed`, `NoSecretKey` or `CannotOpenSecret`, and then there is none.
   */
  submit(flow: FlowOfTask, request: TaskRequest): Promise<Submitted> {
    return this.submitUnder(flow, request, this.parts.entropy.newId());
  }

  private async submitUnder(
    flow: FlowOfTask,
    request: TaskRequest,
    taskId: string,
  ): Promise<Submitted> {
    const { only } = request;
    const given = only === undefined ? request : await this.given(flow, request, { only, taskId });
    const result = await this.mover.insert(flow, this.sealed(flow, given, taskId), taskId);
    // A secret that was sealed for one id cannot be opened under another.
    if (result.kind === 'reserved') return this.submitUnder(flow, request, result.taskId);
    // Of those who sent the key at once, another one was first.
    const hasKey = (request.idempotencyKey ?? null) !== null;
    const isOther = result.kind === 'duplicate' || (hasKey && result.kind === 'present');
    // Nobody waits for the broker: the task is stored, and governance sends what is lost.
    return { kind: isOther ? 'duplicate' : 'created', task: result.task };
  }

  /**
   * Makes a task under an id that follows from what it is for, unless it is there; one that is
   * there is left to whoever stored it. Throws what `submit` does.
   */
  async submitOnce(flow: FlowOfTask, request: TaskRequest, taskId: string): Promise<void> {
    await this.mover.insertOnce(flow, this.sealed(flow, request, taskId), taskId);
  }

  private given(
    { definition: { steps } }: FlowOfTask,
    request: TaskRequest,
    own: { readonly only: OnlyStep; readonly taskId: string },
  ): Promise<TaskRequest> {
    const parts = { directory: this.directory, secrets: this.mover.secrets };
    return sealGiven(parts, request, { ...own, steps });
  }

  private sealed({ definition }: FlowOfTask, request: TaskRequest, taskId: string): TaskRequest {
    return sealRequest(this.mover.secrets, request, { definition, taskId });
  }
}
