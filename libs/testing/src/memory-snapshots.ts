import type { StepPlan, Task } from '#core';
import { revisionInSnapshot, snapshotOf, taskOfSnapshot } from '#core/stored';
import type { TaskSnapshots } from '#ports';

/** Documents as texts, and which of them a message brought, for stores in memory. */
export class MemorySnapshots implements TaskSnapshots {
  private readonly names = new Map<readonly StepPlan[], string>();
  private readonly steps = new Map<string, readonly StepPlan[]>();
  private readonly texts = new WeakMap<Task, string>();

  textOf(task: Task): string | null {
    return snapshotOf(task, this.nameOf(task.plan.steps));
  }

  recall(text: string): Task | null {
    const task = taskOfSnapshot(text, (name) => this.steps.get(name));
    return task === null ? null : this.note(task, text);
  }

  revisionIn(text: string): number {
    return revisionInSnapshot(text);
  }

  /** The task is one that this text told of. */
  note(task: Task, text: string): Task {
    this.texts.set(task, text);
    return task;
  }

  /** Whether a document that a message brought is the stored one; one that was read may be. */
  isTrue(previous: Task, stored: Task): boolean {
    const text = this.texts.get(previous);
    return text === undefined || text === this.textOf(stored);
  }

  private nameOf(steps: readonly StepPlan[]): string {
    const known = this.names.get(steps);
    if (known !== undefined) return known;
    const name = `steps ${this.names.size}`;
    this.names.set(steps, name);
    this.steps.set(name, steps);
    return name;
  }
}
