import { countHolding, type LockEntry, type LockLine, TaskUnreadable } from '#ports';
import { isLetGo, type Locks } from './locks.js';
import type { EngineParts } from './parts.js';

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
      // Somebody has to mend it first: until then it holds what it held.
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
