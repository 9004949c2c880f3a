import { type ActionRef, directionOf, type StepMessage, type Task } from '#core';
import { runIdOf } from '#core/scopes';
import type { Border } from './passing.js';

/**
 * The work that a process has in hand: tells reads and messages of one piece of work from others.
 */
export class InHand {
  readonly #delivered = new Map<string, number>();
  readonly #queuedBy = new Map<string, readonly Border[]>();

  /** A message about the task was delivered: it is read next, to be claimed. */
  delivered(taskId: string): void {
    this.#delivered.set(taskId, (this.#delivered.get(taskId) ?? 0) + 1);
  }

  /** The task is about to be claimed. */
  claims(taskId: string): void {
    this.#delivered.delete(taskId);
  }

  /** Whether a read of the task is that of a delivered message. */
  awaitsClaim(taskId: string): boolean {
    return this.#delivered.has(taskId);
  }

  /**
   * The task is about to be written, with these actions queued: messages about them that leave from
   * now on follow from that. One may leave right behind the write and before its answer, and other
   * writes of the task may come between.
   */
  queues(task: Task, refs: readonly ActionRef[], by: readonly Border[]): void {
    for (const { direction, step } of refs) {
      const run = runIdOf(task, step);
      this.#queuedBy.set(keyOf({ taskId: task.plan.taskId, direction, run }), by);
    }
  }

  /** The decisions of the last write of this process that a message follows from. */
  writesBehind({ run, taskId, type }: StepMessage): readonly Border[] {
    return this.#queuedBy.get(keyOf({ taskId, direction: directionOf(type), run })) ?? [];
  }
}

interface Asked extends Pick<ActionRef, 'direction'> {
  readonly taskId: string;
  readonly run: string;
}

function keyOf({ direction, run, taskId }: Asked): string {
  return `${taskId} ${direction} ${run}`;
}
