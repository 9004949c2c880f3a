import {
  type FlowDefinition,
  type FlowVersion,
  isAlertTask,
  isFinal,
  LIVE_STATUSES,
  statusName,
  type Task,
} from '#core';
import { ownersOf } from '#core/read';
import { isNotableChange, summaryOf } from '#core/stored';
import {
  COMMAND,
  type CommitResult,
  DELIVERY,
  DRILL,
  type DueRange,
  type ExecutorRecord,
  type ExecutorRegistry,
  type FlowStore,
  type HeldPage,
  type HeldQuery,
  type InsertResult,
  InvalidCursor,
  isInShare,
  KEY,
  NOTIFICATION,
  NOTIFICATION_POSITION,
  OPERATION,
  recordsOf,
  SCHEDULE,
  STATISTICS,
  StoreUnavailable,
  PAGE_CHARACTERS,
  type SessionOrigin,
  type SessionRecord,
  type SessionState,
  type SessionStore,
  type StartedTasks,
  type TaskFilter,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
  TaskUnreadable,
  type WalkedTask,
} from '#ports';
import { MemoryAudit } from './memory-audit.js';
import { emptyContents, type MemoryStoreContents } from './memory-contents.js';
import { MemoryDefinitions } from './memory-definitions.js';
import { MemoryChanges, noteChange } from './memory-changes.js';
import { MemoryChildren } from './memory-children.js';
import { fitsFilter } from './memory-filter.js';
import { MemoryFinals } from './memory-finals.js';
import { MemoryLocks } from './memory-locks.js';
import { MemoryRecords } from './memory-records.js';
import { MemorySessions } from './memory-sessions.js';
import { MemorySnapshots } from './memory-snapshots.js';

/** A store in memory, for tests and simulations: every port of a real one, nothing durable. */
export class MemoryStore
  implements TaskStore, StartedTasks, FlowStore, ExecutorRegistry, SessionStore
{
  /** Set: no call is answered; nothing is written. */
  down = false;
  /** Set: the next write takes effect, but its answer is lost. */
  loseNextAnswer = false;
  /** Documents that cannot be read, with the reason. */
  readonly unreadable = new Map<string, string>();
  readonly snapshots = new MemorySnapshots();
  readonly audit = new MemoryAudit(() => this.open().audit);
  readonly definitions = new MemoryDefinitions(() => this.open());
  readonly changes = new MemoryChanges(
    () => this.open(),
    (taskId) => this.unreadable.get(taskId),
  );
  readonly children = new MemoryChildren(() => this.open().tasks);
  private readonly tell = (): void => this.answer();
  readonly finals = new MemoryFinals(() => this.open(), this.tell);
  readonly locks = new MemoryLocks(() => this.open().lines, this.tell);
  readonly records = new MemoryRecords(() => this.open().records, this.tell);
  readonly commandDefaults = recordsOf(this.records, COMMAND);
  readonly deliveries = recordsOf(this.records, DELIVERY);
  readonly drills = recordsOf(this.records, DRILL);
  readonly keys = recordsOf(this.records, KEY);
  readonly notifications = recordsOf(this.records, NOTIFICATION);
  readonly operations = recordsOf(this.records, OPERATION);
  readonly positions = recordsOf(this.records, NOTIFICATION_POSITION);
  readonly schedules = recordsOf(this.records, SCHEDULE);
  readonly statistics = recordsOf(this.records, STATISTICS);
  private closed = false;

  constructor(readonly contents: MemoryStoreContents = emptyContents()) {}

  async insert(task: Task): Promise<InsertResult> {
    const contents = this.open();
    const { keys, tasks } = contents;
    const { idempotencyKey, taskId } = task.plan;
    const owner = idempotencyKey === null ? undefined : keys.get(idempotencyKey);
    const found = tasks.get(owner ?? taskId);
    if (owner !== undefined && owner !== taskId && found) {
      return { kind: 'duplicate', task: this.readable(found) };
    }
    if (found === undefined) {
      tasks.set(taskId, task);
      noteChange(contents, taskId);
    }
    if (idempotencyKey !== null) keys.set(idempotencyKey, taskId);
    this.answer();
    return { kind: found === undefined ? 'inserted' : 'present' };
  }

  async commit(previous: Task, next: Task): Promise<CommitResult> {
    const contents = this.open();
    const { tasks } = contents;
    const { taskId } = previous.plan;
    const stored = tasks.get(taskId);
    if (stored?.revision !== previous.revision) return 'conflict';
    if (!this.snapshots.isTrue(previous, stored)) return 'conflict';
    tasks.set(taskId, next);
    if (isNotableChange(previous, next)) noteChange(contents, taskId);
    this.answer();
    return 'committed';
  }

  async get(taskId: string): Promise<Task | null> {
    const found = this.open().tasks.get(taskId);
    return found === undefined ? null : this.readable(found);
  }

  async findByKey(idempotencyKey: string): Promise<Task | null> {
    const { keys, tasks } = this.open();
    const found = tasks.get(keys.get(idempotencyKey) ?? '');
    return found === undefined ? null : this.readable(found);
  }

  async findDue(now: number, limit: number, range: DueRange = {}): Promise<readonly Task[]> {
    const { share, skip = 0 } = range;
    const due = [...this.open().tasks.values()].filter(
      ({ plan, wakeAt }) => wakeAt !== null && wakeAt <= now && !this.unreadable.has(plan.taskId),
    );
    const own = due.slice(skip).filter((task) => {
      return isInShare(task.plan.taskId, task.wakeAt ?? now, share);
    });
    return own.slice(0, limit);
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    const rest = this.matching(query);
    let characters = 0;
    let count = 0;
    while (count < Math.min(query.limit, rest.length) && characters < PAGE_CHARACTERS) {
      const { message, plan } = rest[count]!;
      characters += JSON.stringify([plan.flow, plan.labels, message]).length;
      count += 1;
    }
    const items = rest.slice(0, count).map((task) => {
      const { taskId } = task.plan;
      const reason = this.unreadable.get(taskId);
      return reason === undefined ? summaryOf(task) : { taskId, reason };
    });
    const last = rest[count - 1];
    return { items, nextCursor: rest.length > count && last ? sortKey(last) : null };
  }

  async *walk(filter: TaskFilter): AsyncGenerator<WalkedTask> {
    for (const task of this.matching(filter)) {
      const { taskId } = task.plan;
      const reason = this.unreadable.get(taskId);
      yield { item: reason === undefined ? task : { taskId, reason }, cursor: sortKey(task) };
    }
  }

  async countLive(): Promise<Readonly<Record<string, number>>> {
    const zeros = LIVE_STATUSES.map((status) => [statusName(status), 0]);
    const counts: Record<string, number> = Object.fromEntries(zeros);
    for (const { plan, status } of this.open().tasks.values()) {
      if (isFinal(status) || isAlertTask(plan.parent)) continue;
      counts[statusName(status)] = (counts[statusName(status)] ?? 0) + 1;
    }
    counts['unreadable'] = this.unreadable.size;
    return counts;
  }

  async countStarted(flow: string, limit: number): Promise<number> {
    const isMeant = ({ plan, status }: Task) => plan.parent === null && !isFinal(status);
    return Math.min(this.matching({ flow }).filter(isMeant).length, limit);
  }

  async saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    const { flows, standings } = this.open();
    const versions = flows.get(definition.name) ?? [];
    standings.delete(definition.name);
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
    this.open().executors.announce(record);
  }

  async withdraw(instance: string, module: string): Promise<void> {
    this.open().executors.withdraw(instance, module);
  }

  async listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.open().executors.list(since, module);
  }

  async listKnown(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.open().executors.listKnown(since, module);
  }

  async openSession(session: string, leaseMs: number, origin?: SessionOrigin): Promise<void> {
    this.sessions.open(session, leaseMs, origin);
  }

  async renewSession(session: string): Promise<SessionState> {
    return this.sessions.renew(session);
  }

  async endSession(session: string, beat: number): Promise<boolean> {
    return this.sessions.end(session, beat);
  }

  async closeSession(session: string): Promise<void> {
    this.sessions.close(session);
  }

  async listSessions(): Promise<readonly SessionRecord[]> {
    return this.sessions.list();
  }

  async forgetSession(session: string): Promise<void> {
    this.sessions.forget(session);
  }

  async findHeld(session: string, { after = '', limit }: HeldQuery): Promise<HeldPage> {
    const held = [...this.open().tasks.values()].filter(
      (task) => ownersOf(task).includes(session) && !this.unreadable.has(task.plan.taskId),
    );
    const ids = held.map(({ plan }) => plan.taskId).filter((taskId) => taskId > after);
    const page = ids.sort().slice(0, limit);
    const tasks = page.map((taskId) => this.contents.tasks.get(taskId)!);
    return { tasks, next: ids.length > limit ? (page.at(-1) ?? null) : null };
  }

  async readRevisions(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { tasks } = this.open();
    const found = taskIds.flatMap((taskId) => tasks.get(taskId) ?? []);
    return new Map(found.map(({ plan, revision }) => [plan.taskId, revision]));
  }

  async ping(): Promise<void> {
    this.open();
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private matching(filter: TaskFilter): readonly Task[] {
    const { cursor, isOldestFirst } = filter;
    const all = [...this.open().tasks.values()].filter((task) => fitsFilter(task, filter));
    const isBefore = (one: string, other: string): boolean => {
      return isOldestFirst ? one < other : one > other;
    };
    const sorted = all.sort((a, b) => (isBefore(sortKey(a), sortKey(b)) ? -1 : 1));
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new InvalidCursor(cursor);
    return cursor === undefined ? sorted : sorted.filter((task) => isBefore(cursor, sortKey(task)));
  }

  private get sessions(): MemorySessions {
    return new MemorySessions(this.open().sessions);
  }

  private readable(task: Task): Task {
    const { taskId } = task.plan;
    const reason = this.unreadable.get(taskId);
    if (reason !== undefined) throw new TaskUnreadable(taskId, reason);
    return task;
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

/** The format of the keys that `sortKey` makes. */
const CURSOR = /^\d{16} ./;

function sortKey({ plan }: Task): string {
  return `${String(plan.createdAt).padStart(16, '0')} ${plan.taskId}`;
}
