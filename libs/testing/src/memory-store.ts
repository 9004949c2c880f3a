import {
  type FlowDefinition,
  type FlowVersion,
  isFinal,
  LIVE_STATUSES,
  statusName,
  type Task,
} from '#core';
import {
  type CommitResult,
  type ExecutorRecord,
  type ExecutorRegistry,
  type FlowStore,
  type InsertResult,
  InvalidCursor,
  StoreUnavailable,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
} from '#ports';

/** What a memory store keeps; handed from one store to the next it outlives a "restart". */
export interface MemoryStoreContents {
  readonly tasks: Map<string, Task>;
  readonly keys: Map<string, string>;
  readonly flows: Map<string, FlowVersion[]>;
  readonly executors: Map<string, ExecutorRecord>;
}

/** A store in memory, for tests and simulations: every port of a real one, nothing durable. */
export class MemoryStore implements TaskStore, FlowStore, ExecutorRegistry {
  /** Set: no call is answered; nothing is written. */
  down = false;
  /** Set: the next write takes effect, but its answer is lost. */
  loseNextAnswer = false;
  private closed = false;

  constructor(
    readonly contents: MemoryStoreContents = {
      tasks: new Map(),
      keys: new Map(),
      flows: new Map(),
      executors: new Map(),
    },
  ) {}

  async insert(task: Task): Promise<InsertResult> {
    const { keys, tasks } = this.open();
    const { idempotencyKey, taskId } = task.plan;
    const owner = idempotencyKey === null ? undefined : keys.get(idempotencyKey);
    const found = tasks.get(owner ?? taskId);
    if (owner !== undefined && owner !== taskId && found) return { kind: 'duplicate', task: found };
    if (found === undefined) tasks.set(taskId, task);
    if (idempotencyKey !== null) keys.set(idempotencyKey, taskId);
    this.answer();
    return { kind: 'inserted' };
  }

  async commit(previous: Task, next: Task): Promise<CommitResult> {
    const { tasks } = this.open();
    const { taskId } = previous.plan;
    if (tasks.get(taskId)?.revision !== previous.revision) return 'conflict';
    tasks.set(taskId, next);
    this.answer();
    return 'committed';
  }

  async get(taskId: string): Promise<Task | null> {
    return this.open().tasks.get(taskId) ?? null;
  }

  async findByKey(idempotencyKey: string): Promise<Task | null> {
    const { keys, tasks } = this.open();
    return tasks.get(keys.get(idempotencyKey) ?? '') ?? null;
  }

  async findDue(now: number, limit: number, skip: number): Promise<readonly Task[]> {
    const due = [...this.open().tasks.values()].filter(
      ({ wakeAt }) => wakeAt !== null && wakeAt <= now,
    );
    return due.slice(skip, skip + limit);
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const all = [...this.open().tasks.values()].filter((task) => matches(task, query));
    const sorted = all.sort((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1));
    const { cursor, limit } = query;
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new InvalidCursor(cursor);
    const rest = cursor === undefined ? sorted : sorted.filter((task) => sortKey(task) < cursor);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: rest.length > limit && last ? sortKey(last) : null };
  }

  async countLive(): Promise<Readonly<Record<string, number>>> {
    const zeros = LIVE_STATUSES.map((status) => [statusName(status), 0]);
    const counts: Record<string, number> = Object.fromEntries(zeros);
    for (const { status } of this.open().tasks.values()) {
      if (isFinal(status)) continue;
      counts[statusName(status)] = (counts[statusName(status)] ?? 0) + 1;
    }
    return counts;
  }

  async saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    const { flows } = this.open();
    const versions = flows.get(definition.name) ?? [];
    const newest = versions.at(-1);
    if (newest?.hash === hash) return newest;
    const added = { definition, version: versions.length + 1, hash, createdAt: now };
    flows.set(definition.name, [...versions, added]);
    return added;
  }

  async getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    const versions = this.open().flows.get(name) ?? [];
    return (version === undefined ? versions.at(-1) : versions[version - 1]) ?? null;
  }

  async listFlows(): Promise<readonly FlowVersion[]> {
    const names = [...this.open().flows.keys()].sort();
    return names.flatMap((name) => this.contents.flows.get(name)?.at(-1) ?? []);
  }

  async announce(record: ExecutorRecord): Promise<void> {
    this.open().executors.set(`${record.module} ${record.instance}`, record);
  }

  async withdraw(instance: string, module: string): Promise<void> {
    this.open().executors.delete(`${module} ${instance}`);
  }

  async listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return [...this.open().executors.values()].filter(
      (record) => record.seenAt >= since && (module === undefined || record.module === module),
    );
  }

  async ping(): Promise<void> {
    this.open();
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private answer(): void {
    const lost = this.loseNextAnswer;
    this.loseNextAnswer = false;
    if (lost) throw new StoreUnavailable('the answer was lost');
  }

  // Every method reaches the contents through here: a closed store refuses all of them.
  private open(): MemoryStoreContents {
    if (this.closed) throw new StoreUnavailable('the store is closed');
    if (this.down) throw new StoreUnavailable('the store is down');
    return this.contents;
  }
}

/** What `sortKey` makes. */
const CURSOR = /^\d{16} ./;

function sortKey({ plan }: Task): string {
  return `${String(plan.createdAt).padStart(16, '0')} ${plan.taskId}`;
}

function matches({ plan, status }: Task, query: TaskQuery): boolean {
  if (query.flow !== undefined && plan.flow !== query.flow) return false;
  if (query.statuses !== undefined && !query.statuses.includes(status)) return false;
  if (plan.createdAt < (query.createdAfter ?? -Infinity)) return false;
  if (plan.createdAt >= (query.createdBefore ?? Infinity)) return false;
  return Object.entries(query.labels ?? {}).every(([key, value]) => plan.labels[key] === value);
}
