import { type FlowOfTask, type JsonObject, statusName, type Task } from '#core';
import type { ProcessContext } from '#process';
import { countUndone, forgetMade } from './bench-module.js';

/** A task with child tasks, carried out and undone. */
export interface Family {
  /** Child tasks that succeeded. */
  readonly children: number;
  /** From the request of the task until it has succeeded, in milliseconds. */
  readonly forwardMs: number;
  /** From the request to undo it until it is rolled back, in milliseconds. */
  readonly backMs: number;
}

const PERSON = { actor: 'bench', reason: 'measured', key: null } as const;

/** Runs tasks with child tasks, one after another. */
export class Families {
  #waiting: { readonly taskId: string; readonly ended: (task: Task) => void } | null = null;

  constructor(private readonly engine: ProcessContext['engine']) {}

  /** A task has ended. */
  told(task: Task): void {
    if (task.plan.taskId === this.#waiting?.taskId) this.#waiting.ended(task);
  }

  /** Runs one, and has it undone. Throws where a child is not undone exactly once. */
  async run(flow: FlowOfTask, parameters: JsonObject): Promise<Family> {
    forgetMade();
    const start = performance.now();
    const { task } = await this.engine.submit(flow, { parameters });
    const { taskId } = task.plan;
    await this.#until(taskId, 'succeeded');
    const middle = performance.now();
    const end = this.#until(taskId, 'rolled_back');
    await this.engine.operate(taskId, { kind: 'undo_requested', ...PERSON });
    await end;
    const backMs = performance.now() - middle;
    const { made, undoneOnce } = countUndone();
    if (undoneOnce !== made) throw new Error(`${undoneOnce} of ${made} were undone exactly once`);
    return { children: made, forwardMs: middle - start, backMs };
  }

  async #until(taskId: string, status: string): Promise<void> {
    const ended = new Promise<Task>((resolve) => {
      this.#waiting = { taskId, ended: resolve };
    });
    const found = statusName((await ended).status);
    if (found !== status) throw new Error(`the task with child tasks is ${found}, not ${status}`);
  }
}
