/** A place in the line of a lock: of one ticket of one task. */
export interface LockPlace {
  /** Name of the lock. */
  readonly name: string;
  readonly taskId: string;
  /** Number of the task's ticket. */
  readonly number: number;
}

/** An order to put a ticket of a task in the line of a lock. */
export interface LockOrder extends LockPlace {
  /** How many may hold the lock at a time, as its flow says; at least 1. */
  readonly slots: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** A ticket in a line. */
export interface LockEntry extends Omit<LockOrder, 'name'> {}

/** The line of one lock, in the order in which they came. */
export interface LockLine {
  readonly name: string;
  readonly entries: readonly LockEntry[];
}

/** Which lines to list. */
export interface LockQuery {
  /** Only names behind this one. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/**
 * The lines of locks. Whoever is at the head of a line holds the lock; nobody holds one in any
 * other way, so that there is nothing to be given and lost. Every method may throw
 * `StoreUnavailable`, which says nothing about whether a write took effect; each may be repeated.
 */
export interface LockStore {
  /**
   * Puts a ticket at the end of a line, durably, unless it stands there already. True: it holds the
   * lock.
   */
  enter(order: LockOrder): Promise<boolean>;
  /**
   * Takes a ticket out of a line, durably. Resolves to those that hold the lock since then; none
   * where the ticket was not there.
   */
  leave(place: LockPlace): Promise<readonly LockEntry[]>;
  /** The first of a line; none where nobody stands in it. */
  readLine(name: string): Promise<readonly LockEntry[]>;
  /** Lines in which a task stands, by the code units of their names; of each its first. */
  listLines(query: LockQuery): Promise<readonly LockLine[]>;
}

/**
 * How many of a line, from its head on, hold the lock. Flows may want it held by different numbers
 * of tasks: each counts from the place where it stands. Whoever holds a lock holds it until it
 * leaves, whoever else comes and goes.
 */
export function countHolding(entries: readonly Pick<LockEntry, 'slots'>[]): number {
  let slots = Infinity;
  for (const [position, entry] of entries.entries()) {
    slots = Math.min(slots, entry.slots);
    if (position >= slots) return position;
  }
  return entries.length;
}

/** Those of a line that hold the lock and did not before a task left it. */
export function holdingSince(
  before: readonly LockEntry[],
  left: Pick<LockEntry, 'taskId' | 'number'>,
): readonly LockEntry[] {
  const at = before.findIndex((entry) => isSameTicket(entry, left));
  if (at < 0) return [];
  const held = before.slice(0, countHolding(before));
  const after = before.toSpliced(at, 1);
  return after.slice(0, countHolding(after)).filter((entry) => !held.includes(entry));
}

/** Whether two entries are of the same ticket. */
export function isSameTicket(
  one: Pick<LockEntry, 'taskId' | 'number'>,
  other: Pick<LockEntry, 'taskId' | 'number'>,
): boolean {
  return one.taskId === other.taskId && one.number === other.number;
}
