import { countHolding, type LockEntry, type LockLine, TaskUnreadable } from '#ports';
import { isLetGo, type Locks } from './locks.js';
import type { EngineParts } from './parts.js';

/** Lines that are looked through at a time. */
const PAGE = 100;

/** A task that was not found so long after it stood in line is no more, in milliseconds. */
const GONE_AFTER_MS = 60_000;

/** Tasks that are read at a time. */
const AT_ONCE = 50;

/**
 * Goes through the heads of all lines: a ticket that its task wants no more leaves, whoever died
 * before taking it out, and a task that does not know yet that it holds a lock is told. The
 * document of the task says which of these it is.
 */
export class LockWatch {
  constructor(
    private readonly parts: Pick<EngineParts, 'clock' | 'locks' | 'store'>,
    private readonly locks: Locks,
  ) {}

  /** Looks once at everybody who holds a lock. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    let after: string | undefined;
    do {
      const lines = await this.parts.locks.listLines({ after, limit: PAGE });
      for (const line of lines) await this.lookAt(line);
      after = lines.length < PAGE ? undefined : lines.at(-1)?.name;
    } while (after !== undefined);
  }

  private async lookAt({ entries, name }: LockLine): Promise<void> {
    const holders = entries.slice(0, countHolding(entries));
    for (let from = 0; from < holders.length; from += AT_ONCE) {
      const page = holders.slice(from, from + AT_ONCE);
      await Promise.all(page.map((entry) => this.judge(name, entry)));
    }
  }

  private async judge(name: string, { number, since, taskId }: LockEntry): Promise<void> {
    const task = await this.parts.store.get(taskId).catch((error: unknown) => {
      // Somebody has to mend it first: until then it holds what it held.
      if (error instanceof TaskUnreadable) return undefined;
      throw error;
    });
    if (task === undefined) return;
    if (task === null ? this.isOld(since) : isLetGo(task, number)) {
      await this.locks.leave(name, taskId, number);
    } else if (task?.locks.some((each) => each.number === number && each.heldAt === null)) {
      this.locks.look(taskId);
    }
  }

  /** Whether its task would long have been seen if it were there. */
  private isOld(since: number): boolean {
    return since + GONE_AFTER_MS < this.parts.clock.now();
  }
}
