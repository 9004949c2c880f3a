import { FAILURE_RUN, type Task } from '#core';
import type {
  CommitResult,
  DueRange,
  InsertResult,
  TaskFilter,
  TaskPage,
  TaskQuery,
  TaskStore,
  WalkedTask,
} from '#ports';
import { commitPassings, queuedActions } from './commit-passings.js';
import type { CrashSwitch } from './crash-switch.js';
import type { InHand } from './in-hand.js';

/** A store at whose borders the process may die. */
export class CrashingStore implements TaskStore {
  constructor(
    private readonly store: TaskStore,
    private readonly crash: CrashSwitch,
    private readonly inHand: InHand,
  ) {}

  insert(task: Task): Promise<InsertResult> {
    this.inHand.queues(task, queuedActions(null, task), ['insert']);
    const { parent } = task.plan;
    const failureFlow = parent !== null && parent.run === FAILURE_RUN;
    const passing = { border: 'insert', failureFlow } as const;
    const insert = (): Promise<InsertResult> => this.store.insert(task);
    return this.crash.around([passing], insert, ({ kind }) => kind === 'inserted');
  }

  async commit(previous: Task, next: Task, onLeft?: () => void): Promise<CommitResult> {
    const { taskId } = next.plan;
    const passings = commitPassings(previous, next);
    if (passings.some(({ border }) => border === 'claim')) this.inHand.claims(taskId);
    const borders = passings.map(({ border }) => border);
    this.inHand.queues(next, queuedActions(previous, next), borders);
    const commit = (): Promise<CommitResult> => this.store.commit(previous, next, onLeft);
    return this.crash.around(passings, commit, (result) => result === 'committed');
  }

  async get(taskId: string): Promise<Task | null> {
    const task = await this.store.get(taskId);
    if (task !== null && this.inHand.awaitsClaim(taskId)) {
      this.crash.pass([{ border: 'read', edge: 'after' }]);
    }
    return task;
  }

  get snapshots(): TaskStore['snapshots'] {
    return this.store.snapshots;
  }

  findByKey(key: string): Promise<Task | null> {
    return this.store.findByKey(key);
  }

  async findDue(now: number, limit: number, range?: DueRange): Promise<readonly Task[]> {
    const due = await this.store.findDue(now, limit, range);
    if (due.length > 0) this.crash.pass([{ border: 'scan', edge: 'after' }]);
    return due;
  }

  list(query: TaskQuery): Promise<TaskPage> {
    return this.store.list(query);
  }

  walk(filter: TaskFilter): AsyncIterable<WalkedTask> {
    return this.store.walk(filter);
  }

  countLive(): Promise<Readonly<Record<string, number>>> {
    return this.store.countLive();
  }

  ping(): Promise<void> {
    return this.store.ping();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
