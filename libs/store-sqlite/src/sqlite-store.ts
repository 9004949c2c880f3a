import path from 'node:path';
import { isFinal, LIVE_STATUSES, statusName } from '#core';
import type { FlowDefinition, FlowVersion, Task, TaskStatus } from '#core';
import { StoreUnavailable } from '#ports';
import type { CommitResult, ExecutorRecord, ExecutorRegistry, FlowStore } from '#ports';
import type { InsertResult, TaskPage, TaskQuery, TaskStore } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import { ExecutorTable } from './executor-table.js';
import { FlowShelf } from './flow-shelf.js';
import { toListFilter } from './list-filter.js';
import { encodeCursor } from './page-cursor.js';
import { StepShelf } from './plan-codec.js';
import type { InsertAnswer, RowPosition, TasksRequest } from './protocol.js';
import type { StoredFlow, StoredTask, StoredTasks } from './protocol.js';
import { TaskCache, type CacheLimits, type KnownTask } from './task-cache.js';
import { decodeTask, encodeCommit, encodeInsert } from './task-codec.js';
import { openWorker, type WorkerLink } from './worker-link.js';
import { defaultWorkerUrl } from './worker-url.js';

/** How a SQLite store is opened. */
export interface SqliteStoreOptions {
  /** The database file; it and its folder are made where they are missing. */
  readonly path: string;
  /** What is kept in memory of the tasks used last. */
  readonly cache?: CacheLimits;
  /**
   * Pages of the write-ahead log after which they are moved into the database file. Default: 4,000.
   */
  readonly checkpointPages?: number;
  /** The compiled worker; by default the one of this library. */
  readonly workerUrl?: URL;
}

/** Tasks that were asked for; `last` is where the next page begins. */
interface TasksAnswer {
  readonly tasks: readonly Task[];
  readonly last: RowPosition | null;
}

const CACHE: CacheLimits = { tasks: 10_000, characters: 32_000_000 };
const CHECKPOINT_PAGES = 4_000;

/**
 * Opens the store in a file, which belongs to this process alone until the store is closed or the
 * process ends. Throws `StoreBusy` where somebody else has it open, and `StoreForeign` where it is
 * not a store of this version.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { workerUrl = defaultWorkerUrl(), checkpointPages = CHECKPOINT_PAGES } = options;
  const file = path.resolve(options.path);
  const link = await openWorker(workerUrl, { path: file, checkpointPages });
  return new SqliteStore(link, options.cache ?? CACHE);
}

/**
 * Tasks, flows and executors of one process, in one SQLite file. Made by {@link openSqliteStore}.
 */
export class SqliteStore implements TaskStore, FlowStore, ExecutorRegistry {
  readonly #cache: TaskCache;
  readonly #executors = new ExecutorTable();
  readonly #flows = new FlowShelf();
  readonly #link: WorkerLink;
  readonly #steps = new StepShelf();

  constructor(link: WorkerLink, cache: CacheLimits) {
    this.#cache = new TaskCache(cache);
    this.#link = link;
  }

  async insert(task: Task): Promise<InsertResult> {
    const { request, known } = encodeInsert(task, this.#steps);
    const answer = await this.#link.ask<InsertAnswer>(request);
    if (typeof answer === 'string') {
      const holder = await this.get(fromColumn(answer));
      if (holder === null) throw new StoreUnavailable('The task that has the key is gone.');
      return { kind: 'duplicate', task: holder };
    }
    this.#steps.add(request[3], task.plan.steps);
    if (answer > 0) this.#keep(known, answer);
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
    const { tasks } = await this.#askForTasks(['get', toColumn(taskId)]);
    return tasks[0] ?? null;
  }

  async findByKey(idempotencyKey: string): Promise<Task | null> {
    const { tasks } = await this.#askForTasks(['findByKey', toColumn(idempotencyKey)]);
    return tasks[0] ?? null;
  }

  async findDue(now: number, limit: number, skip: number): Promise<readonly Task[]> {
    const { tasks } = await this.#askForTasks(['findDue', now, limit, skip]);
    return tasks;
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const { tasks, last } = await this.#askForTasks(['list', toListFilter(query)]);
    return { items: tasks, nextCursor: last === null ? null : encodeCursor(last) };
  }

  async countLive(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#link.ask<readonly (readonly [TaskStatus, number])[]>([
      'countByStatus',
      LIVE_STATUSES,
    ]);
    const counts = Object.fromEntries(LIVE_STATUSES.map((status) => [statusName(status), 0]));
    for (const [status, count] of rows) counts[statusName(status)] = count;
    return counts;
  }

  async ping(): Promise<void> {
    await this.#link.ask(['ping']);
  }

  /** Finishes what was accepted and lets go of the file. */
  close(): Promise<void> {
    return this.#link.close();
  }

  async saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    const stored = await this.#link.ask<StoredFlow>([
      'saveFlow',
      toColumn(definition.name),
      toColumn(hash),
      JSON.stringify(definition),
      now,
    ]);
    return this.#flows.keepNewest(stored);
  }

  async getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    this.#link.assertOpen();
    const known = this.#flows.find(name, version);
    if (known !== undefined) return known;
    if (version !== undefined && version < 1) return null;
    const stored = await this.#link.ask<StoredFlow | null>([
      'getFlow',
      toColumn(name),
      version ?? 0,
    ]);
    if (stored === null) return null;
    return version === undefined ? this.#flows.keepNewest(stored) : this.#flows.keep(stored);
  }

  async listFlows(): Promise<readonly FlowVersion[]> {
    const stored = await this.#link.ask<readonly StoredFlow[]>(['listFlows']);
    return Array.from(stored, (flow) => this.#flows.keepNewest(flow));
  }

  async announce(record: ExecutorRecord): Promise<void> {
    this.#link.assertOpen();
    this.#executors.announce(record);
  }

  async withdraw(instance: string, module: string): Promise<void> {
    this.#link.assertOpen();
    this.#executors.withdraw(instance, module);
  }

  async listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    this.#link.assertOpen();
    return this.#executors.list(since, module);
  }

  /** What was written is known now that it has its row. */
  #keep(known: KnownTask, row: number): void {
    known.row = row;
    this.#cache.keep(known);
  }

  /**
   * Asks for tasks; those whose document this process has are not decoded. An answer is turned into
   * tasks at once, before anything newer can be known of them, or else it is asked for again.
   */
  async #askForTasks(request: TasksRequest): Promise<TasksAnswer> {
    for (;;) {
      const { tasks, last } = await this.#link.ask<StoredTasks>(request);
      const unknown = tasks.find(([, , , , , stepsKey]) => !this.#steps.has(stepsKey))?.[5];
      if (unknown === undefined) {
        return { tasks: Array.from(tasks, (stored) => this.#read(stored)), last };
      }
      const text = await this.#link.ask<string>(['getSteps', unknown]);
      this.#steps.add(unknown, JSON.parse(text) as Task['plan']['steps']);
    }
  }

  #read(stored: StoredTask): Task {
    const [column, , revision] = stored;
    const known = this.#cache.find(fromColumn(column));
    if (known !== undefined && known.task.revision >= revision) return known.task;
    const read = decodeTask(stored, this.#steps);
    this.#cache.keep(read);
    return read.task;
  }
}
