import { type FlowDefinition, type FlowVersion, isFinal, LIVE_STATUSES, type Task } from '#core';
import {
  type CommitResult,
  type DueRange,
  type ExecutorRecord,
  type ExecutorRegistry,
  ExecutorTable,
  type FlowStore,
  type HeldPage,
  type HeldQuery,
  type InsertResult,
  isInShare,
  isUnreadable,
  type Observer,
  PAGE_CHARACTERS,
  Quarantine,
  RecordReader,
  type SessionOrigin,
  type SessionRecord,
  type SessionState,
  type SessionStore,
  type StartedTasks,
  StoreUnavailable,
  type TaskFilter,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
  type WalkedTask,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { FlowShelf, SqliteDefinitions, SqliteFlows } from './sqlite-flows.js';
import { countLive, countStarted, heldBy, revisionsOf } from './task-reads.js';
import { encodeCursor } from './page-cursor.js';
import { SqliteAudit } from './sqlite-audit.js';
import { SqliteChanges, SqliteChildren, toListFilter } from './task-lists.js';
import { SqliteFinals } from './sqlite-finals.js';
import { SqliteLocks } from './sqlite-locks.js';
import { SqliteRecords } from './sqlite-records.js';
import { ServedModules } from './served-modules.js';
import { StepShelf } from './plan-codec.js';
import type { InsertAnswer, ListFilter, StoredSummaries } from './protocol.js';
import { summariesOf } from './summary-codec.js';
import { TaskCache, type CacheLimits, type KnownTask } from './task-cache.js';
import { encodeCommit, encodeInsert } from './task-codec.js';
import { TaskReader, type TasksAnswer } from './task-reader.js';
import type { WorkerLink } from './worker-link.js';

/** Rows that are looked at for one stretch of a walk. */
const WALK_ROWS = 200;

/** The limits of a store's cache, and who gets its notices. */
interface StoreParts {
  readonly cache: CacheLimits;
  readonly observer: Pick<Observer, 'noticed'>;
}

interface Entry extends SessionOrigin {
  beat: number;
  readonly leaseMs: number;
  isOver: boolean;
}

/**
 * Tasks, flows, executors and sessions of one process, in one SQLite file. Made by
 * {@link openSqliteStore}.
 */
export class SqliteStore
  implements TaskStore, StartedTasks, FlowStore, ExecutorRegistry, SessionStore
{
  readonly snapshots = null;
  /** Knows what cannot be read of everything but tasks. */
  readonly unreadable: RecordReader;
  readonly records: SqliteRecords;
  readonly audit: SqliteAudit;
  readonly definitions: SqliteDefinitions;
  readonly changes: SqliteChanges;
  readonly children: SqliteChildren;
  readonly locks: SqliteLocks;
  readonly finals: SqliteFinals;
  readonly #cache: TaskCache;
  /**
   * Only this process can have the file open, so no other can announce itself, and none of those
   * before it is there any more: nothing of this is worth a write, but what workers could do.
   */
  readonly #executors = new ExecutorTable();
  readonly #served: ServedModules;
  readonly #flows: SqliteFlows;
  readonly #link: WorkerLink;
  readonly #quarantine: Quarantine;
  readonly #sessions = new SessionTable();
  readonly #reader: TaskReader;
  readonly #steps = new StepShelf();

  constructor(link: WorkerLink, { cache: limits, observer }: StoreParts) {
    this.#cache = new TaskCache(limits);
    this.#link = link;
    const reader = new RecordReader(observer);
    this.unreadable = reader;
    this.records = new SqliteRecords(link, reader);
    this.#served = new ServedModules(this.records);
    const shelf = new FlowShelf(reader);
    this.#flows = new SqliteFlows(link, shelf);
    this.audit = new SqliteAudit(link, reader);
    this.definitions = new SqliteDefinitions(link, shelf);
    this.children = new SqliteChildren(link);
    this.locks = new SqliteLocks(link, reader);
    this.finals = new SqliteFinals(link, this.#cache);
    this.#quarantine = new Quarantine(observer);
    const parts = { cache: this.#cache, steps: this.#steps, quarantine: this.#quarantine };
    this.#reader = new TaskReader({ link, ...parts });
    this.changes = new SqliteChanges(link, this.#reader);
  }

  async insert(task: Task): Promise<InsertResult> {
    const { request, known } = encodeInsert(task, this.#steps);
    const answer = await this.#link.ask<InsertAnswer>(request);
    if (typeof answer === 'string') {
      const holder = await this.get(fromColumn(answer));
      if (holder === null) throw new StoreUnavailable('The task that has the key is gone.');
      return { kind: 'duplicate', task: holder };
    }
    if (answer === 0) return { kind: 'present' };
    this.#steps.add(request[3], task.plan.steps);
    this.#reader.trust(answer);
    this.#keep(known, answer);
    return { kind: 'inserted' };
  }

  async commit(previous: Task, next: Task): Promise<CommitResult> {
    const { taskId } = next.plan;
    const { request, known } = encodeCommit(previous, next, this.#cache.peek(taskId));
    try {
      const row = await this.#link.ask<number>(request);
      if (row === 0) return 'conflict';
      // A finished task is seldom asked for: it takes no place until it is.
      if (isFinal(next.status)) this.#cache.forget(taskId);
      else this.#keep(known, row);
      return 'committed';
    } catch (error) {
      // Whether it took effect is not known, so what was known of the task is not, either.
      this.#cache.forget(taskId);
      throw error;
    }
  }

  async get(taskId: string): Promise<Task | null> {
    this.#link.assertOpen();
    const known = this.#cache.find(taskId);
    if (known !== undefined) return known.task;
    return this.#reader.askForOne(['get', toColumn(taskId)]);
  }

  async findByKey(idempotencyKey: string): Promise<Task | null> {
    return this.#reader.askForOne(['findByKey', toColumn(idempotencyKey)]);
  }

  async findDue(now: number, limit: number, range: DueRange = {}): Promise<readonly Task[]> {
    const { share, skip = 0 } = range;
    for (;;) {
      const { items } = await this.#reader.ask(['findDue', now, limit, skip]);
      const tasks = items.filter((item): item is Task => !isUnreadable(item));
      // Those that turned out to be unreadable took the place of others, and do so once.
      if (tasks.length < items.length) continue;
      return tasks.filter(({ plan, wakeAt }) => isInShare(plan.taskId, wakeAt ?? now, share));
    }
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const { last, summaries } = await this.#readPage(toListFilter(query));
    await this.#reader.check(summaries);
    const items = Array.from(summaries, (stored) => this.#reader.listed(stored));
    return { items, nextCursor: last === null ? null : encodeCursor(last) };
  }

  async #readPage(filter: ListFilter): Promise<StoredSummaries> {
    const request = ['list', filter, PAGE_CHARACTERS] as const;
    const answer = await this.#link.ask<string | StoredSummaries>(request);
    if (typeof answer !== 'string') return answer;
    const page = summariesOf(answer, filter.limit);
    // A message may be long; a text that is no state has no head.
    return page ?? this.#link.ask<StoredSummaries>(['listRows', filter, PAGE_CHARACTERS]);
  }

  async *walk(filter: TaskFilter): AsyncGenerator<WalkedTask> {
    let stretch: ListFilter | null = toListFilter({ ...filter, limit: WALK_ROWS });
    while (stretch !== null) {
      const answer: TasksAnswer = await this.#reader.ask(['walk', stretch, PAGE_CHARACTERS]);
      for (const [n, item] of answer.items.entries()) {
        yield { item, cursor: encodeCursor(answer.places[n]!) };
      }
      stretch = answer.last === null ? null : { ...stretch, beyond: answer.last };
    }
  }

  countLive(): Promise<Readonly<Record<string, number>>> {
    return countLive(this.#link, this.#quarantine);
  }

  countStarted(flow: string, limit: number): Promise<number> {
    return countStarted(this.#link, flow, limit);
  }

  ping(): Promise<void> {
    return this.#link.ping();
  }

  /**
   * Moves all that was asked for until now into the file, and then writes into its log alone
   * until {@link release}: the file can be copied.
   */
  hold(): Promise<void> {
    return this.#link.hold();
  }

  /** Ends a hold. Rejects where the store was closed or failed meanwhile. */
  release(): Promise<void> {
    return this.#link.release();
  }

  /** Finishes what was accepted and lets go of the file. */
  close(): Promise<void> {
    return this.#link.close();
  }

  saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    return this.#flows.save(definition, hash, now);
  }

  async getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    return this.#flows.get(name, version);
  }

  listFlows(): Promise<readonly FlowVersion[]> {
    return this.#flows.list();
  }

  async announce(record: ExecutorRecord): Promise<void> {
    this.#link.assertOpen();
    this.#executors.announce(record);
    if (record.worker === true) await this.#served.add(record);
  }

  async withdraw(instance: string, module: string): Promise<void> {
    this.#link.assertOpen();
    this.#executors.withdraw(instance, module);
  }

  async listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    this.#link.assertOpen();
    return this.#executors.list(since, module);
  }

  async listKnown(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    this.#link.assertOpen();
    const announced = this.#executors.listKnown(since, module);
    return [...announced, ...(await this.#served.beside(announced, since, module))];
  }

  async openSession(session: string, leaseMs: number, origin?: SessionOrigin): Promise<void> {
    this.#link.assertOpen();
    this.#sessions.open(session, leaseMs, origin);
  }

  async renewSession(session: string): Promise<SessionState> {
    this.#link.assertOpen();
    return this.#sessions.renew(session);
  }

  async endSession(session: string, beat: number): Promise<boolean> {
    this.#link.assertOpen();
    return this.#sessions.end(session, beat);
  }

  async closeSession(session: string): Promise<void> {
    this.#link.assertOpen();
    this.#sessions.end(session);
  }

  async listSessions(): Promise<readonly SessionRecord[]> {
    this.#link.assertOpen();
    return this.#sessions.list();
  }

  async forgetSession(session: string): Promise<void> {
    this.#link.assertOpen();
    this.#sessions.forget(session);
  }

  /** Goes through all live tasks: one process has the file, and seldom asks. */
  async findHeld(session: string, query: HeldQuery): Promise<HeldPage> {
    return heldBy(session, query, this.walk({ statuses: LIVE_STATUSES }));
  }

  /** From memory, nearly always: what runs was written lately. */
  async readRevisions(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return revisionsOf(taskIds, (taskId) => this.get(taskId));
  }

  /** Caches a task that was written, now that it has its row. */
  #keep(known: KnownTask, row: number): void {
    known.row = row;
    this.#cache.keep(known);
  }
}

/**
 * The sessions of this process. Only this process can have the file open, so that every earlier
 * session is over: nothing of this is worth a write.
 */
class SessionTable {
  readonly #entries = new Map<string, Entry>();

  /** Begins a session, unless there is one of that name. */
  open(session: string, leaseMs: number, origin?: SessionOrigin): void {
    if (this.#entries.has(session)) return;
    this.#entries.set(session, { ...origin, beat: 0, leaseMs, isOver: false });
  }

  /** Raises the beat of a session that lives. */
  renew(session: string): SessionState {
    const entry = this.#entries.get(session);
    if (entry === undefined || entry.isOver) return 'ended';
    entry.beat += 1;
    return 'alive';
  }

  /** Ends a session; where a beat is given, only if it is still that. */
  end(session: string, beat?: number): boolean {
    const entry = this.#entries.get(session);
    if (entry === undefined || entry.isOver || (beat ?? entry.beat) !== entry.beat) return false;
    entry.isOver = true;
    return true;
  }

  /** All that are not forgotten. */
  list(): readonly SessionRecord[] {
    return Array.from(this.#entries, ([session, entry]) => ({ session, ...entry }));
  }

  /** Removes a session that is over. */
  forget(session: string): void {
    if (this.#entries.get(session)?.isOver === true) this.#entries.delete(session);
  }
}
