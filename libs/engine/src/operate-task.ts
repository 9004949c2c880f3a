import type { EventOf, Refusal } from '#core';
import { propose } from '#core/transitions';
import type { TaskStore } from '#ports';
import { orderedEvent, type ResetOrder, type RetryOrder } from './children-order.js';
import type { CompleteOrder } from './complete-order.js';
import type { TaskMover } from './task-mover.js';
import type { WriteResult } from './task-writer.js';

/** A person's action on a task. */
export type PersonsEvent =
  | EventOf<'rollback_requested'>
  | EventOf<'terminate_requested'>
  | RetryOrder
  | EventOf<'skip_requested'>
  | EventOf<'pause_requested'>
  | EventOf<'resume_requested'>
  | ResetOrder
  | EventOf<'undo_requested'>
  | EventOf<'signal_received'>
  | EventOf<'judged'>
  | CompleteOrder;

/** The result of a person's action; `moved`: the task is not at the revision the person saw. */
export type OperateResult =
  | WriteResult
  | Refusal
  | { readonly kind: 'moved'; readonly revision: number };

/** The result that a person's action would have if it were done now. */
export type Foreseen = Refusal | { readonly kind: 'proposed' | 'ignored' | 'missing' };

/** Carries out persons' actions: events of the same `transition`, guarded by the same revision. */
export class TaskOperation {
  constructor(
    private readonly mover: TaskMover,
    private readonly store: Pick<TaskStore, 'get'>,
  ) {}

  /** Tries an action out on the task as it is now; nothing is changed. Throws as `operate` does. */
  async foresee(taskId: string, event: PersonsEvent): Promise<Foreseen> {
    const task = await this.store.get(taskId);
    if (task === null) return { kind: 'missing' };
    const known = await orderedEvent(this.store, taskId, event);
    if (known.kind === 'refused') return known;
    const proposed = propose(task, known, { moment: this.mover.moment() });
    return proposed.kind === 'refused' ? proposed : { kind: proposed.kind };
  }

  /**
   * Applies an action, or what a person or system outside says of an attempt; `revision`, when
   * given, is the only one it may be applied to. Commands that the task no longer wants are
   * aborted, here at once and elsewhere at their next renewal. Throws `StoreUnavailable`.
   */
  async operate(
    taskId: string,
    event: PersonsEvent | EventOf<'completed'>,
    revision?: number,
  ): Promise<OperateResult> {
    const known = await orderedEvent(this.store, taskId, event);
    if (known.kind === 'refused') return known;
    let moved: number | null = null;
    const result = await this.mover.move(taskId, (task, moment) => {
      moved = revision === undefined || task.revision === revision ? null : task.revision;
      if (moved !== null) return { kind: 'ignored', reason: 'repeated' };
      return propose(task, known, { moment });
    });
    return moved === null ? result : { kind: 'moved', revision: moved };
  }
}
