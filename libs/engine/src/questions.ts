import { type ActionRef, questionOf, type Task } from '#core';
import { answerFor } from './answer-for.js';
import type { EngineParts } from './parts.js';
import type { TaskMover } from './task-mover.js';

/**
 * Has the templates of steps worked out that a commit of this process asked about, and tells their
 * tasks. Whatever is lost on the way is asked about again by governance.
 */
export class Questions {
  constructor(
    private readonly parts: Pick<EngineParts, 'entropy' | 'evaluator' | 'observer'>,
    private readonly mover: TaskMover,
  ) {}

  /** A document was stored that asks about this action. Never throws. */
  ask(task: Task, ref: ActionRef): void {
    this.answer(task, ref).catch((error: unknown) => {
      const { taskId } = task.plan;
      const message = `an expression of task ${taskId} could not be evaluated yet: ${String(error)}`;
      this.parts.observer.noticed({ level: 'warn', name: 'question_open', message, taskId });
    });
  }

  private async answer(task: Task, ref: ActionRef): Promise<void> {
    const question = questionOf(task, ref);
    if (question === null) return;
    const { id, members, scene } = question;
    const { entropy, evaluator } = this.parts;
    const { hasSecrets } = task;
    const answer = await answerFor({ entropy, evaluator, hasSecrets }, { members, scene });
    await this.mover.tell(task, { kind: 'answered', ...ref, question: id, answer });
  }
}
