import { LINE_MAX } from '#core/task';
import {
  countHolding,
  holdingSince,
  isSameTicket,
  type LockEntry,
  type LockLine,
  type LockOrder,
  type LockPlace,
  type LockQuery,
  type LockStore,
} from '#ports';

/** The lines of locks in memory. */
export class MemoryLocks implements LockStore {
  /** `answer`: called after a write took effect, and throws where its answer is lost. */
  constructor(
    private readonly open: () => Map<string, readonly LockEntry[]>,
    private readonly answer: () => void,
  ) {}

  async enter({ name, number, since, slots, taskId }: LockOrder): Promise<boolean> {
    const lines = this.open();
    const line = lines.get(name) ?? [];
    const entry = { taskId, number, slots, since };
    const isThere = line.some((other) => isSameTicket(other, entry));
    const next = isThere ? line : [...line, entry];
    lines.set(name, next);
    this.answer();
    return next.findIndex((other) => isSameTicket(other, entry)) < countHolding(next);
  }

  async leave({ name, number, taskId }: LockPlace): Promise<readonly LockEntry[]> {
    const lines = this.open();
    const before = lines.get(name) ?? [];
    const rest = before.filter((entry) => !isSameTicket(entry, { taskId, number }));
    if (rest.length === 0) lines.delete(name);
    else lines.set(name, rest);
    this.answer();
    return holdingSince(before, { taskId, number });
  }

  async readLine(name: string): Promise<readonly LockEntry[]> {
    return (this.open().get(name) ?? []).slice(0, LINE_MAX);
  }

  async listLines({ after = '', limit }: LockQuery): Promise<readonly LockLine[]> {
    const names = [...this.open().keys()].filter((name) => name > after).toSorted();
    return names.slice(0, limit).map((name) => {
      return { name, entries: (this.open().get(name) ?? []).slice(0, LINE_MAX) };
    });
  }
}
