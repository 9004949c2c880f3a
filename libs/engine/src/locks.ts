import type { LockTicket, Task } from '#core';
import { lockQuestion, waitingTickets } from '#core/locks';
import { countHolding, type LockEntry, type LockLine, TaskUnreadable } from '#ports';
import { Looks } from './looks.js';
import { answerFor } from './answer-for.js';
import type { EngineParts } from './parts.js';
import type { TaskMover } from './task-mover.js';

/** Lines that are looked through at a time. */
const PAGE = 100;

/** A task that was not found so long after it stood in line is no more, in milliseconds. */
const GONE_AFTER_MS = 60_000;

/** Tasks that are read at a time, and the most of those who wait that one look is at. */
const AT_ONCE = 50;

/** One look at some of those who wait: how many to pass over, and how many to look at then. */
interface Turn {
  passed: number;
  left: number;
}

/**
 * Whether a task had a ticket of this number, and wants it no more. A document that is older than
 * the ticket says nothing of it: numbers are those of journal entries. One that has ended wants no
 * ticket, also where a build ended it that knows of none.
 */
function isLetGo({ journalSeq, locks, outcome }: Task, number: number): boolean {
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

  /** Has the engine look after the locks of a task soon. */
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

/**
 * Goes through the heads of all lines: a ticket that its task wants no more leaves, whoever died
 * before taking it out, and a task that does not know yet that it holds a lock is told. The
 * document of the task says which of these it is. Those who wait hold up nobody: they are looked
 * at in turns, a few each time, so that lines do not show tasks for long that have ended.
 */
export class LockWatch {
  /** How many of those who wait were passed in this turn. */
  private passed = 0;

  constructor(
    private readonly parts: Pick<EngineParts, 'clock' | 'locks' | 'store'>,
    private readonly locks: Locks,
  ) {}

  /** Looks once at everybody who holds a lock, and at some who wait. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    const turn = { passed: this.passed, left: AT_ONCE };
    let after: string | undefined;
    do {
      const lines = await this.parts.locks.listLines({ after, limit: PAGE });
      for (const line of lines) await this.lookAt(line, turn);
      after = lines.length < PAGE ? undefined : lines.at(-1)?.name;
    } while (after !== undefined);
    // At the end of all lines the next turn begins.
    this.passed = turn.left > 0 ? 0 : this.passed + AT_ONCE;
  }

  private async lookAt({ entries, name }: LockLine, turn: Turn): Promise<void> {
    const holding = countHolding(entries);
    for (let from = 0; from < holding; from += AT_ONCE) {
      const page = entries.slice(from, Math.min(from + AT_ONCE, holding));
      await Promise.all(page.map((entry) => this.judge(name, entry, true)));
    }
    const first = Math.min(holding + turn.passed, entries.length);
    const waiting = entries.slice(first, first + turn.left);
    turn.passed -= first - holding;
    turn.left -= waiting.length;
    await Promise.all(waiting.map((entry) => this.judge(name, entry, false)));
  }

  private async judge(name: string, entry: LockEntry, isHolding: boolean): Promise<void> {
    const { number, since, taskId } = entry;
    const task = await this.parts.store.get(taskId).catch((error: unknown) => {
      // A person has to mend it first: until then it holds what it held.
      if (error instanceof TaskUnreadable) return undefined;
      throw error;
    });
    if (task === undefined) return;
    const isLeft = task === null ? this.isOld(since) : isLetGo(task, number);
    if (isLeft) return this.locks.leave(name, taskId, number);
    const isUntold = task?.locks.some((each) => each.number === number && each.heldAt === null);
    if (isHolding && isUntold === true) this.locks.look(taskId);
  }

  /** Whether its task would long have been seen if it were there. */
  private isOld(since: number): boolean {
    return since + GONE_AFTER_MS < this.parts.clock.now();
  }
}
