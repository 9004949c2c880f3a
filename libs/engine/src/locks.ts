import type { LockTicket, Task } from '#core';
import { lockQuestion, waitingTickets } from '#core/locks';
import { Looks } from './looks.js';
import { answerFor } from './answer-for.js';
import type { EngineParts } from './parts.js';
import type { TaskMover } from './task-mover.js';

/**
 * Whether a task had a ticket of this number, and wants it no more. A document that is older than
 * the ticket says nothing of it: numbers are those of journal entries. One that has ended wants no
 * ticket, also where a build ended it that knows of none.
 */
export function isLetGo({ journalSeq, locks, outcome }: Task, number: number): boolean {
  if (journalSeq < number) return false;
  return outcome !== null || !locks.some((ticket) => ticket.number === number);
}

/**
 * Has tasks stand in the lines of the locks that they ask for, tells them once they hold them, and
 * takes them out of the lines when they are done. A document that was stored says what is wanted;
 * what is lost on the way is found by the task's own time, and by `LockWatch`.
 */
export class Locks {
  private readonly looks = new Looks({
    lookAt: (taskId) => this.lookAt(taskId),
    failed: (taskId, error) => this.notice(taskId, 'still waits for its locks', error),
  });

  constructor(
    private readonly parts: Pick<
      EngineParts,
      'entropy' | 'evaluator' | 'locks' | 'observer' | 'store'
    >,
    private readonly mover: TaskMover,
  ) {}

  /** Takes tickets out of their lines that their task wants no more. Never throws. */
  free(taskId: string, tickets: readonly LockTicket[]): void {
    for (const ticket of tickets) void this.release(taskId, ticket);
  }

  /** Has somebody look after the locks of a task soon. */
  look(taskId: string): void {
    this.looks.hint(taskId);
  }

  /** Takes a ticket out of the line of one lock; whoever holds it now is told. */
  async leave(name: string, taskId: string, number: number): Promise<void> {
    const promoted = await this.parts.locks.leave({ name, taskId, number });
    for (const next of promoted) this.look(next.taskId);
  }

  /** Begins no further look. */
  stop(): void {
    this.looks.stop();
  }

  private async release(taskId: string, { locks, number }: LockTicket): Promise<void> {
    try {
      for (const { name } of locks ?? []) await this.leave(name, taskId, number);
    } catch (error) {
      this.notice(taskId, 'releases its locks later', error);
    }
  }

  private async lookAt(taskId: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task === null) return;
    for (const ticket of waitingTickets(task)) {
      if (ticket.locks === null) await this.name(task, ticket);
      else await this.take(task, ticket);
    }
  }

  private async name(task: Task, ticket: LockTicket): Promise<void> {
    const question = lockQuestion(task, ticket);
    if (question === null) return;
    const { entropy, evaluator } = this.parts;
    const { hasSecrets } = task;
    const terms = { entropy, evaluator, hasSecrets, isShown: true };
    const answer = await answerFor(terms, question);
    await this.mover.tell(task, { kind: 'locks_named', number: ticket.number, answer });
  }

  /** One lock after the other, in the order of their names, so that nobody holds up a circle. */
  private async take(task: Task, { locks, number, since }: LockTicket): Promise<void> {
    const { taskId } = task.plan;
    for (const { name, slots } of locks ?? []) {
      const isHeld = await this.parts.locks.enter({ name, slots, since, taskId, number });
      if (!isHeld) return this.leaveUnlessWanted(taskId, number, name);
    }
    const wanted = await this.mover.tell(task, { kind: 'locks_held', number });
    if (wanted !== null) return;
    for (const { name } of locks ?? []) await this.leaveUnlessWanted(taskId, number, name);
  }

  /** Whoever let go of the ticket meanwhile came too early to take it out of the line. */
  private async leaveUnlessWanted(taskId: string, number: number, name: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task !== null && isLetGo(task, number)) await this.leave(name, taskId, number);
  }

  private notice(taskId: string, what: string, error: unknown): void {
    const message = `task ${taskId} ${what}: ${String(error)}`;
    this.parts.observer.noticed({ level: 'warn', name: 'locks_wait', message, taskId });
  }
}
