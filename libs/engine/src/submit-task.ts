import { createTask, type FlowOfTask, type Task, type TaskRequest } from '#core';
import type { EngineParts } from './parts.js';
import type { StepRunner, TakenOver } from './step-runner.js';

/** What a submission came to. `duplicate`: the idempotency key belongs to the task given. */
export interface Submitted {
  readonly kind: 'created' | 'duplicate';
  readonly task: Task;
}

/** Takes requests for tasks. */
export class TaskSubmission {
  constructor(
    private readonly parts: EngineParts,
    private readonly runner: StepRunner,
  ) {}

  /**
   * Makes a task of a flow and a request and stores it durably; its first steps start here or are
   * sent to their modules. Resolves once it is stored. Throws `StoreUnavailable`, after which the
   * task may exist all the same: a repetition with the same idempotency key finds out.
   */
  async submit(flow: FlowOfTask, request: TaskRequest): Promise<Submitted> {
    const { entropy, observer, store } = this.parts;
    const { runner } = this;
    const taken: TakenOver = { works: [] };
    const taskId = entropy.newId();
    const moment = runner.writer.moment();
    const options = { taskId, moment, handOver: runner.handOver(taken) };
    try {
      const { task, dispatches, entries } = createTask(flow, request, options);
      const result = await store.insert(task);
      if (result.kind === 'duplicate') {
        runner.dropTaken(taken);
        return result;
      }
      observer.committed(task, entries);
      void runner.runTaken(task, taken);
      // The answer does not wait for the broker: the task is stored, and governance sends what is
      // lost.
      void runner.sender.send(dispatches);
      return { kind: 'created', task };
    } catch (error) {
      runner.dropTaken(taken);
      runner.adoptLater(taskId);
      throw error;
    }
  }
}
