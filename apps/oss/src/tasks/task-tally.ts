import { statusName } from '#core';
import { isUnreadable, type ListedTask } from '#ports';

/** Intervals that one answer tells of, at most. */
const INTERVALS_MAX = 1_000;

/** Tasks that were created in one interval, as they stand now. */
export interface TallyInterval {
  /** The beginning of the interval, in seconds since 1970; a multiple of its length. */
  readonly at: number;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** How tasks are tallied. */
export interface TallyOrder {
  /** `status`, `flow` or `label.<name>`. */
  readonly by: string;
  /** Also by when they were created, in intervals of so many milliseconds. Absent: not. */
  readonly everyMs?: number | undefined;
}

/** Counts tasks by a value, and where it is asked for by intervals of their creation. */
export class TaskTally {
  readonly #counts = new Map<string, number>();
  readonly #intervals = new Map<number, Map<string, number>>();
  #total = 0;

  constructor(private readonly order: TallyOrder) {}

  /** Takes tasks, newest first; false: there are as many intervals as one answer may have. */
  take(items: readonly ListedTask[]): boolean {
    return items.every((item) => this.#takeOne(item));
  }

  /** The counts; `intervals`, the oldest first and without empty ones, where they are asked for. */
  counts() {
    return {
      total: this.#total,
      counts: Object.fromEntries(this.#counts),
      ...(this.order.everyMs !== undefined && { intervals: this.#listIntervals() }),
    };
  }

  /** A document that cannot be read does not say when it was created. */
  #takeOne(item: ListedTask): boolean {
    const value = valueOf(item, this.order.by);
    const { everyMs } = this.order;
    if (everyMs !== undefined && !isUnreadable(item)) {
      const at = Math.floor(item.createdAt / everyMs) * everyMs;
      const interval = this.#intervals.get(at) ?? new Map<string, number>();
      if (interval.size === 0 && this.#intervals.size === INTERVALS_MAX) return false;
      this.#intervals.set(at, addTo(interval, value));
    }
    addTo(this.#counts, value);
    this.#total += 1;
    return true;
  }

  #listIntervals(): readonly TallyInterval[] {
    const sorted = [...this.#intervals].sort(([one], [other]) => one - other);
    return sorted.map(([at, counts]) => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return { at: at / 1_000, total, counts: Object.fromEntries(counts) };
    });
  }
}

function addTo(counts: Map<string, number>, value: string): Map<string, number> {
  return counts.set(value, (counts.get(value) ?? 0) + 1);
}

function valueOf(item: ListedTask, by: string): string {
  if (isUnreadable(item)) return 'unreadable';
  if (by === 'flow') return item.flow;
  if (by === 'status') return statusName(item.status);
  const name = by.slice('label.'.length);
  return Object.hasOwn(item.labels, name) ? (item.labels[name] ?? '') : '';
}
