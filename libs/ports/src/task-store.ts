import type { Task, TaskOrigin, TaskStatus } from '#core';
import type { SearchTerm, TaskSummary } from '#core/stored';

/**
 * The result of an insert. `present`: a task of this id is there already, which need not be equal
 * to the one given; it may be this very call that stored it, whose answer was lost. `duplicate`:
 * the idempotency key is taken, by the task given. `reserved`: the key belongs to a task id under
 * which nothing is stored yet, as the process that claimed it is on its way or has died. Under that
 * id the request may be stored.
 */
export type InsertResult =
  | { readonly kind: 'inserted' | 'present' }
  | { readonly kind: 'duplicate'; readonly task: Task }
  | { readonly kind: 'reserved'; readonly taskId: string };

/**
 * `conflict`: the stored revision is not the one the next document was made from, or the task is
 * gone.
 */
export type CommitResult = 'committed' | 'conflict';

/** Which tasks are meant, newest first. Absent members do not restrict. */
export interface TaskFilter {
  readonly flow?: string;
  /** One of these flows; together with `flow`, both hold. Not empty. */
  readonly flows?: readonly string[];
  readonly statuses?: readonly TaskStatus[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Those whose origin has all of these members. */
  readonly origin?: TaskOrigin;
  /** Those that wait for a person alone, as `waitsForPerson` says. */
  readonly waitsForPerson?: true;
  /** Child tasks of the task with this id alone. */
  readonly parent?: string;
  /** Those alone that are no child tasks. */
  readonly isTopLevel?: true;
  /** Without alert tasks. */
  readonly withoutAlerts?: true;
  /** Those whose id begins so; found by an index on ids. Not empty. */
  readonly idPrefix?: string;
  /**
   * Those that have one of each of these lists among their `searchTermsOf`. There is no index on
   * them: a caller that also names live statuses has the store look at unfinished tasks alone.
   */
  readonly terms?: readonly (readonly SearchTerm[])[];
  /** Those in which one of these sessions, or any, holds a running action. */
  readonly owners?: readonly string[] | 'any';
  /** Milliseconds since 1970, inclusive. */
  readonly createdAfter?: number;
  /** Milliseconds since 1970, exclusive. */
  readonly createdBefore?: number;
  /** The oldest come first. Absent: the newest. */
  readonly isOldestFirst?: true;
  /** Where to go on: `nextCursor` of the page before, or a walk's `cursor`; opaque to callers. */
  readonly cursor?: string;
}

/** Which tasks to list. */
export interface TaskQuery extends TaskFilter {
  /** 1 to 200. */
  readonly limit: number;
}

/** Which of the due tasks are meant. Absent members do not restrict. */
export interface DueRange {
  /** So many of the longest overdue of all are passed over. */
  readonly skip?: number;
  readonly share?: DueShare | undefined;
}

/** A stored document that cannot be read as a task. It is left as it is. */
export interface UnreadableTask {
  readonly taskId: string;
  /** Which member is wrong, without any of its contents. */
  readonly reason: string;
}

/** One entry of a list of tasks. */
export type ListedTask = TaskSummary | UnreadableTask;

/** One page of tasks. `nextCursor` is null on the last one. */
export interface TaskPage {
  readonly items: readonly ListedTask[];
  readonly nextCursor: string | null;
}

/** One step of a walk. */
export interface WalkedTask {
  readonly item: Task | UnreadableTask;
  /** Leads to what comes after this task, in a walk or in a list. */
  readonly cursor: string;
}

/** Characters of texts after which a page of a list ends, though it has fewer items than asked. */
export const PAGE_CHARACTERS = 1_048_576;

/** The part of the due tasks that one of several gateways looks at first. */
export interface DueShare {
  /** From 0 on, below `parts`. */
  readonly part: number;
  /** How many gateways share the due tasks: at least 2. */
  readonly parts: number;
  /** Tasks due by this moment are in every share, in milliseconds since 1970. */
  readonly allUpTo: number;
}

/** Tasks as texts in messages, by which a process decides on one without reading it. */
export interface TaskSnapshots {
  /** The stored task as text; null where none travels. Costs little, and nothing is asked. */
  textOf(task: Task): string | null;
  /**
   * The task that a text tells of, true or not; null where this process cannot tell. It is good for
   * one thing: as `previous` of a commit, which is a conflict unless the stored task is the very
   * same, in every member. Asks nothing, throws nothing.
   */
  recall(text: string): Task | null;
  /** The revision that a text tells of, true or not; 0 where it tells of none. Throws nothing. */
  revisionIn(text: string): number;
}

/**
 * Counts the tasks that bounds on flows are about. Every method may throw `StoreUnavailable`.
 */
export interface StartedTasks {
  /**
   * How many tasks of a flow, of whatever version, are not final, child tasks left out; at most
   * `limit`, which is at least 1. It sees what this process stored, and what others stored that is
   * durable. Cost grows neither with finished tasks nor, beyond `limit`, with live ones.
   */
  countStarted(flow: string, limit: number): Promise<number>;
}

/** Whether the document could not be read. */
export function isUnreadable(item: object): item is UnreadableTask {
  return 'reason' in item;
}

/**
 * Where tasks are kept. Every method may throw `StoreUnavailable`, which says nothing about whether
 * a write took effect; an implementation resolves an unknown outcome by reading back before it
 * answers.
 *
 * Documents are read one by one. One that cannot be read holds up no other: it is reported once, as
 * the notice `unreadable_task`, it is never written to, and it goes on by itself once somebody has
 * mended it. Methods that are asked for that very task throw `TaskUnreadable`.
 */
export interface TaskStore {
  /** How tasks travel in messages; null where they need not, because reading one costs nothing. */
  readonly snapshots: TaskSnapshots | null;
  /**
   * Stores a new task durably, unless its idempotency key is taken. An insert of a task id that is
   * there changes nothing. Throws `TaskUnreadable` where the key belongs to such a document.
   */
  insert(task: Task): Promise<InsertResult>;
  /**
   * Stores `next` durably if the stored revision is still `previous.revision`; `next` was made from
   * `previous` and shares with it what did not change.
   *
   * `onLeaving` is called where the write is about to leave for a server that will have applied it
   * before whoever gets a message that leaves now can ask for it, almost always. A store that
   * gathers writes, or is in this process, need not call it.
   */
  commit(previous: Task, next: Task, onLeaving?: () => void): Promise<CommitResult>;
  /**
   * The task as stored now, or null. A returned task is never older than a commit this process saw
   * succeed. Throws `TaskUnreadable`.
   */
  get(taskId: string): Promise<Task | null>;
  /** The task that has this idempotency key, as `get` would give it, or null. Throws as it does. */
  findByKey(idempotencyKey: string): Promise<Task | null>;
  /**
   * Up to `limit` tasks with `wakeAt <= now`, from no particular place among the longest overdue,
   * so that several loops rarely meet. Those that cannot be read are neither among them nor
   * counted, however many there are. Of a share, fewer may come although there are more.
   */
  findDue(now: number, limit: number, range?: DueRange): Promise<readonly Task[]>;
  /**
   * Pages through summaries, newest first; tasks created meanwhile never disturb later pages. The
   * cost of a page does not depend on the size of parameters and outputs, and of a page of those
   * that wait for a person not on how many others there are; a page ends early after
   * `PAGE_CHARACTERS`. Throws `InvalidCursor` for a cursor that no page gave.
   */
  list(query: TaskQuery): Promise<TaskPage>;
  /**
   * Goes through whole tasks in the order of lists, with few of them in memory at a time: about a
   * mebibyte, or one task. Throws as `list` does, when the first one is asked for.
   */
  walk(filter: TaskFilter): AsyncIterable<WalkedTask>;
  /**
   * How many tasks are in each status that is not final, by name, zeros included, without alert
   * tasks; under `unreadable`, how many documents this process has found that cannot be read. Cost
   * does not grow with finished tasks.
   */
  countLive(): Promise<Readonly<Record<string, number>>>;
  /**
   * Resolves when the store answers; rejects with `StoreUnavailable` when it does not. For
   * readiness.
   */
  ping(): Promise<void>;
  /** Finishes what was accepted and lets go of the store. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Whether a due task is in a share; without a share, all are. Which part a task belongs to follows
 * from its id alone, and tasks spread evenly over the parts.
 */
export function isInShare(taskId: string, wakeAt: number, share: DueShare | undefined): boolean {
  if (share === undefined || wakeAt <= share.allUpTo) return true;
  return hashOf(taskId) % share.parts === share.part;
}

/** FNV-1a: ids that differ in a letter are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
