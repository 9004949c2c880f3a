import {
  lockQuestion,
  type LockNews,
  type LocksHeld,
  type LocksNamed,
  type LockTicket,
  propose,
  type Task,
  waitingTickets,
} from '#core';
import { moveTask } from './move-task.js';
import type { EngineParts } from './parts.js';
import type { StepRunner } from './step-runner.js';

/** A look at the locks of a task that is on its way. */
interface Look {
  /** Something was heard since it began, so that another one follows. */
  isStale: boolean;
}

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
  private readonly looks = new Map<string, Look>();
  private isStopped = false;

  constructor(
    private readonly parts: Pick<EngineParts, 'evaluator' | 'locks' | 'observer' | 'store'>,
    private readonly runner: StepRunner,
  ) {}

  /** A document was stored that has something to do with locks. Never throws. */
  tend({ plan }: Pick<Task, 'plan'>, { freed, isWaiting }: LockNews): void {
    for (const ticket of freed) void this.free(plan.taskId, ticket);
    if (isWaiting) this.look(plan.taskId);
  }

  /** Has somebody look after the locks of a task soon. */
  look(taskId: string): void {
    const found = this.looks.get(taskId);
    if (found !== undefined) found.isStale = true;
    else if (!this.isStopped) void this.lookWhileStale(taskId);
  }

  /** Takes a ticket out of the line of one lock; whoever holds it now is told. */
  async leave(name: string, taskId: string, number: number): Promise<void> {
    const promoted = await this.parts.locks.leave({ name, taskId, number });
    for (const next of promoted) this.look(next.taskId);
  }

  /** Begins no further look. */
  stop(): void {
    this.isStopped = true;
  }

  private async free(taskId: string, { locks, number }: LockTicket): Promise<void> {
    try {
      for (const { name } of locks ?? []) await this.leave(name, taskId, number);
    } catch (error) {
      this.notice(taskId, 'leaves the lines of its locks later', error);
    }
  }

  private async lookWhileStale(taskId: string): Promise<void> {
    const look: Look = { isStale: true };
    this.looks.set(taskId, look);
    try {
      while (look.isStale && !this.isStopped) {
        look.isStale = false;
        await this.lookAt(taskId);
      }
    } catch (error) {
      this.notice(taskId, 'goes on waiting for its locks', error);
    } finally {
      this.looks.delete(taskId);
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
    const answer = await this.parts.evaluator.answer(question);
    await this.tell(task, { kind: 'locks_named', number: ticket.number, answer });
  }

  /** One lock after the other, in the order of their names, so that nobody holds up a circle. */
  private async take(task: Task, { locks, number, since }: LockTicket): Promise<void> {
    const { taskId } = task.plan;
    for (const { name, slots } of locks ?? []) {
      const isHeld = await this.parts.locks.enter({ name, slots, since, taskId, number });
      if (!isHeld) return this.leaveUnlessWanted(taskId, number, name);
    }
    const isWanted = await this.tell(task, { kind: 'locks_held', number });
    if (isWanted) return;
    for (const { name } of locks ?? []) await this.leaveUnlessWanted(taskId, number, name);
  }

  /** Whoever let go of the ticket meanwhile came too early to take it out of the line. */
  private async leaveUnlessWanted(taskId: string, number: number, name: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task !== null && isLetGo(task, number)) await this.leave(name, taskId, number);
  }

  /** False: the task did not change. */
  private async tell(task: Task, event: LocksNamed | LocksHeld): Promise<boolean> {
    const { runner } = this;
    const result = await moveTask(runner, task, (current, moment) =>
      propose(current, event, { moment }),
    );
    if (result.kind !== 'committed') return false;
    runner.onSoon(result.task);
    await runner.sender.send(result.dispatches);
    return true;
  }

  private notice(taskId: string, what: string, error: unknown): void {
    const message = `task ${taskId} ${what}: ${String(error)}`;
    this.parts.observer.noticed({ level: 'warn', name: 'locks_wait', message, taskId });
  }
}
