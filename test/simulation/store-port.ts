import type { FlowVersion, Task } from '#core';
import {
  type ChildStore,
  type CommitResult,
  type DueRange,
  type HeldPage,
  type HeldQuery,
  type InsertResult,
  type LockStore,
  type RecordStore,
  type SessionOrigin,
  type SessionRecord,
  type SessionState,
  type SessionStore,
  StoreUnavailable,
  type TaskPage,
  type TaskSnapshots,
  type TaskStore,
  type WalkedTask,
} from '#ports';
import { MemoryChildren } from '#testing';
import type { StoreCall } from './script.js';
import type { SimProcess } from './sim-process.js';
import type { StoreServer } from './store-server.js';
import type { World } from './world.js';

/** Longest that a request, or its answer, is on its way. */
export const STORE_SLOW_MAX_MS = 6_000;

/** Calls that change what is stored. */
const WRITES: ReadonlySet<StoreCall> = new Set([
  'claimKey',
  'insert',
  'commit',
  'openSession',
  'renewSession',
  'endSession',
  'closeSession',
  'forgetSession',
  'enterLine',
  'leaveLine',
  'writeRecord',
]);

type Fate = 'answered' | 'before' | 'after' | 'late';

/** A process's way to the store: requests and answers travel, and either may be lost. */
export class StorePort implements TaskStore, SessionStore {
  readonly snapshots: TaskSnapshots;
  readonly locks: LockStore = {
    enter: async (order) => this.call('enterLine', () => this.server.locks.enter(order)),
    leave: async (place) => this.call('leaveLine', () => this.server.locks.leave(place)),
    readLine: () => Promise.reject(new Error('only a gateway reads lines of locks')),
    listLines: async (query) => this.call('listLines', () => this.server.locks.listLines(query)),
  };
  readonly records: RecordStore = {
    get: async (...asked) => this.call('readRecords', () => this.server.records.get(...asked)),
    list: async (...asked) => this.call('readRecords', () => this.server.records.list(...asked)),
    put: async (...asked) => this.call('writeRecord', () => this.server.records.put(...asked)),
    remove: async (...asked) =>
      this.call('writeRecord', () => this.server.records.remove(...asked)),
    removeAll: () => Promise.reject(new Error('no engine removes many records')),
  };
  private readonly world: World;
  /** Commits that had no answer, by task. */
  private readonly unclear = new Map<string, Task>();

  constructor(
    private readonly server: StoreServer,
    private readonly process: SimProcess,
  ) {
    this.world = process.world;
    this.snapshots = {
      textOf: (task) => server.snapshots.textOf(task),
      recall: (text) => server.recall(text),
      revisionIn: (text) => server.snapshots.revisionIn(text),
    };
  }

  async insert(task: Task): Promise<InsertResult> {
    const { owner, seen } = this.process;
    const holder = await this.holderOf(task);
    if (holder !== task.plan.taskId) {
      const held = await this.call('get', () => this.server.read(holder, null));
      if (held !== null) return { kind: 'duplicate', task: held };
      this.world.see('key whose task is not stored');
      return { kind: 'reserved', taskId: holder };
    }
    const result = await this.call('insert', () => this.server.insert(task, owner));
    if (result.kind === 'inserted') seen.set(task.plan.taskId, task.revision);
    return result;
  }

  /** A shared store keeps keys apart from tasks; the embedded one writes both at once. */
  private async holderOf({ plan: { idempotencyKey: key, taskId } }: Task): Promise<string> {
    if (key === null || this.world.scenario.isStandalone) return taskId;
    return this.call('claimKey', () => this.server.claimKey(key, taskId));
  }

  async commit(previous: Task, next: Task, onLeaving?: () => void): Promise<CommitResult> {
    const { owner, seen } = this.process;
    const { taskId } = next.plan;
    const isFree =
      this.world.mutant?.server === 'checks_early' &&
      this.server.tasks.get(taskId)?.revision === previous.revision;
    const write = (): CommitResult => {
      if (!isFree) return this.server.commit(previous, next, owner);
      this.server.overwrite(next, owner);
      return 'committed';
    };
    const leave = onLeaving && ((): void => this.server.leave(next, onLeaving));
    const result = await this.call('commit', write, leave).catch((error: unknown) => {
      this.unclear.set(taskId, next);
      throw error;
    });
    if (result === 'committed') seen.set(taskId, Math.max(seen.get(taskId) ?? 0, next.revision));
    return result;
  }

  async get(taskId: string): Promise<Task | null> {
    const { seen } = this.process;
    const task = await this.call('get', () => {
      this.process.reach('read');
      const isStale = this.world.strikes('staleRead');
      const floor = this.world.mutant?.readsAnything === true ? 0 : (seen.get(taskId) ?? 0);
      return this.server.read(taskId, isStale ? floor : null);
    });
    if (task !== null) this.resolveUnclear(task);
    if (task !== null) seen.set(taskId, Math.max(seen.get(taskId) ?? 0, task.revision));
    return task;
  }

  findByKey(): Promise<Task | null> {
    return Promise.reject(new Error('only a gateway looks for keys, and histories have none'));
  }

  findDue(now: number, limit: number, range?: DueRange): Promise<readonly Task[]> {
    return this.call('findDue', () => this.server.due(now, limit, range));
  }

  list(): Promise<TaskPage> {
    return Promise.reject(new Error('only a gateway lists, and histories have none'));
  }

  async *walk(): AsyncGenerator<WalkedTask> {
    // Histories have few tasks: one answer holds them.
    const live = (): Task[] => [...this.server.tasks.values()].filter((t) => t.wakeAt !== null);
    for (const item of await this.call('walk', live)) yield { item, cursor: item.plan.taskId };
  }

  countLive(): Promise<Readonly<Record<string, number>>> {
    return this.call('countLive', () => ({}));
  }

  openSession(session: string, leaseMs: number, origin?: SessionOrigin): Promise<void> {
    return this.call('openSession', () => this.server.sessions.open(session, leaseMs, origin));
  }

  renewSession(session: string): Promise<SessionState> {
    return this.call('renewSession', () => this.server.sessions.renew(session));
  }

  endSession(session: string, beat: number): Promise<boolean> {
    return this.call('endSession', () => this.server.sessions.end(session, beat));
  }

  closeSession(session: string): Promise<void> {
    return this.call('closeSession', () => this.server.sessions.close(session));
  }

  listSessions(): Promise<readonly SessionRecord[]> {
    return this.call('listSessions', () => this.server.sessions.list());
  }

  forgetSession(session: string): Promise<void> {
    return this.call('forgetSession', () => this.server.sessions.forget(session));
  }

  findHeld(session: string, { after = '', limit }: HeldQuery): Promise<HeldPage> {
    return this.call('findHeld', () => {
      const held = this.server.held(session, after);
      const tasks = held.slice(0, limit);
      return { tasks, next: held.length > limit ? tasks.at(-1)!.plan.taskId : null };
    });
  }

  readRevisions(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.call('readRevisions', () => {
      const found = taskIds.flatMap((taskId) => this.server.tasks.get(taskId) ?? []);
      return new Map(found.map(({ plan, revision }) => [plan.taskId, revision]));
    });
  }

  /** The way to child tasks, which the store finds among all of its tasks. */
  get children(): ChildStore {
    const all = new MemoryChildren(() => this.server.tasks);
    return {
      count: async (range) => this.call('countChildren', () => all.count(range)),
      find: async (query) => this.call('findChildren', () => all.find(query)),
    };
  }

  /** The way to a flow's versions. */
  getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    return this.call('getFlow', () => this.server.flows.get(name)?.at((version ?? 0) - 1) ?? null);
  }

  ping(): Promise<void> {
    return this.call('ping', () => {});
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** A commit had no answer; a document that is read afterwards tells what became of it. */
  private resolveUnclear(found: Task): void {
    const { taskId } = found.plan;
    const next = this.unclear.get(taskId);
    if (next === undefined || found.revision < next.revision - 1) return;
    this.unclear.delete(taskId);
    const wasStored = this.server.history.get(taskId)?.some(({ task }) => task === next);
    this.world.see(
      wasStored === true ? 'unclear commit found done' : 'unclear commit found undone',
    );
  }

  private call<T>(name: StoreCall, effect: () => T, onLeaving?: () => void): Promise<T> {
    const { process, server, world } = this;
    return new Promise((resolve, reject) => {
      const isEarly = onLeaving !== undefined && this.leavesAlone();
      process.reach(name);
      process.mayCrash();
      if (!process.alive) return;
      const isWrite = WRITES.has(name);
      const { term } = server;
      const fate = this.drawFate(isWrite);
      const refuse = (): void => reject(new StoreUnavailable(`${name}: ${fate}`));
      const ms = this.drawLatency();
      if (isEarly) onLeaving();
      if (fate === 'before') {
        if (isWrite) world.see('unclear write: was not stored');
        process.later(ms, refuse);
        return;
      }
      if (fate === 'late') this.landLate(ms, effect);
      if (fate === 'late') return process.later(ms, refuse);
      world.line.after(ms, () => {
        if (!this.lands()) return;
        if (this.isLostOnItsWay(term)) return process.enter(refuse);
        const answer = effect();
        if (fate === 'after' && isWrite) world.see('unclear write: was stored');
        if (isWrite) process.reach('landed');
        process.mayCrash();
        process.later(this.drawLatency(), () => {
          if (fate === 'after' || this.isUnanswered(term)) refuse();
          else resolve(answer);
        });
      });
    });
  }

  /** Whether the message of a write leaves before the write is known to be stored. */
  private leavesAlone(): boolean {
    this.process.reach('leave');
    const isEarly = this.world.strikes('leavesAlone');
    if (isEarly) this.world.see('message left with its write');
    return isEarly;
  }

  /** A request that meets an election reaches the old primary or none. */
  private isLostOnItsWay(term: number): boolean {
    return term !== this.server.term && this.world.random.next() < 0.5;
  }

  private isUnanswered(term: number): boolean {
    const isLost = term !== this.server.term;
    if (isLost) this.world.see('answer lost at a failover');
    return isLost;
  }

  private landLate(ms: number, effect: () => unknown): void {
    const { world } = this;
    world.pending += 1;
    world.line.after(ms + world.random.between(10, 8_000), () => {
      world.pending -= 1;
      if (!this.lands()) return;
      world.see('write that landed late');
      effect();
    });
  }

  /** Whether a late write lands: those of a store's only process die with it. */
  private lands(): boolean {
    return this.process.alive || !this.world.scenario.isStandalone;
  }

  private drawFate(isWrite: boolean): Fate {
    const { world } = this;
    if (this.server.isDown() || (isWrite && this.server.isFull())) return 'before';
    if (world.strikes('storeFailsBefore')) return 'before';
    if (world.strikes('storeFailsAfter')) return 'after';
    return isWrite && world.strikes('storeLate') ? 'late' : 'answered';
  }

  private drawLatency(): number {
    const { random } = this.world;
    return this.world.strikes('storeSlow')
      ? random.between(100, STORE_SLOW_MAX_MS)
      : random.between(1, 8);
  }
}
