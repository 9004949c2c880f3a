import type { MongoClient } from 'mongodb';
import type { FlowDefinition, FlowVersion, Task } from '#core';
import { endsWithin, RecordReader } from '#ports';
import type {
  CommitResult,
  DueRange,
  ExecutorRecord,
  ExecutorRegistry,
  FlowStore,
  HeldPage,
  HeldQuery,
  InsertResult,
  SessionOrigin,
  SessionRecord,
  SessionState,
  SessionStore,
  StartedTasks,
  TaskFilter,
  TaskPage,
  TaskQuery,
  TaskStore,
  WalkedTask,
} from '#ports';
import { type AuditDocument, AuditRecords } from './audit-records.js';
import { ChangeRecords, ChildRecords, FinalRecords } from './task-lists.js';
import type { ClockWatch } from './clock/clock-watch.js';
import type { ServerClock } from './clock/server-clock.js';
import { CommitWriter } from './commit-writer.js';
import { DefinitionRecords } from './definition-records.js';
import { ExecutorRecords, type ExecutorDocument } from './executor-records.js';
import { FlowVersions, type FlowVersionDocument } from './flow-versions.js';
import { InsertWriter } from './insert-writer.js';
import { type KeyDocument, KeyRecords } from './key-records.js';
import { type LockDocument, LockRecords } from './lock-records.js';
import { COLLECTIONS } from './migrations.js';
import { MongoRecords } from './mongo-records.js';
import { StepLists } from './plan-document.js';
import type { ServerCalls } from './server-calls.js';
import { type SessionDocument, SessionRecords } from './session-records.js';
import type { StoreWatch } from './store-watch.js';
import { Snapshots } from './snapshots.js';
import type { TaskDocument } from './task-document.js';
import { TaskDecoder } from './task-decoder.js';
import { TaskReader } from './task-reader.js';

/** Longest wait for the answer to a ping, in milliseconds. */
const PING_MS = 2_000;

/** Longest wait for the driver to let go of its sockets, in milliseconds. */
const DISCONNECT_MS = 2_000;

/**
 * Tasks, flows, executors and sessions in MongoDB. Every transition is one conditional update of
 * one document, durable on a majority; those of one moment share a round trip.
 */
export class MongoStore
  implements TaskStore, StartedTasks, FlowStore, ExecutorRegistry, SessionStore
{
  private readonly reader: TaskReader;
  readonly snapshots: Snapshots;
  /** Knows what cannot be read of everything but tasks. */
  readonly unreadable: RecordReader;
  readonly records: MongoRecords;
  readonly audit: AuditRecords;
  readonly definitions: DefinitionRecords;
  readonly changes: ChangeRecords;
  readonly children: ChildRecords;
  readonly locks: LockRecords;
  readonly finals: FinalRecords;
  private readonly inserts: InsertWriter;
  private readonly keys: KeyRecords;
  private readonly commits: CommitWriter;
  private readonly flows: FlowVersions;
  private readonly executors: ExecutorRecords;
  private readonly sessions: SessionRecords;
  private closing: Promise<void> | undefined;

  /** Use `openMongoStore`. */
  constructor(
    private readonly client: MongoClient,
    private readonly calls: ServerCalls,
    private readonly watch: ClockWatch,
    private readonly storeWatch: StoreWatch,
  ) {
    const db = client.db(calls.settings.database);
    const lists = new StepLists();
    const tasks = db.collection<TaskDocument>(COLLECTIONS.tasks);
    this.children = new ChildRecords(tasks, calls);
    const records = new RecordReader(calls.settings.observer);
    this.unreadable = records;
    this.records = new MongoRecords(db, calls, records);
    this.keys = new KeyRecords(db.collection<KeyDocument>(COLLECTIONS.keys), calls);
    this.finals = new FinalRecords(tasks, this.keys, calls);
    this.locks = new LockRecords(db.collection<LockDocument>(COLLECTIONS.locks), calls, records);
    const decoder = new TaskDecoder(lists, calls.settings);
    const { clock } = watch;
    this.changes = new ChangeRecords({ tasks, decoder, clock }, calls);
    this.reader = new TaskReader({ tasks, decoder }, calls);
    this.snapshots = new Snapshots(lists);
    const { snapshots } = this;
    this.inserts = new InsertWriter({ tasks, lists, snapshots, clock }, calls);
    this.commits = new CommitWriter(db, calls, snapshots);
    const versions = db.collection<FlowVersionDocument>(COLLECTIONS.flowVersions);
    this.flows = new FlowVersions(versions, calls, records);
    this.definitions = new DefinitionRecords(versions, this.flows, calls);
    const executors = db.collection<ExecutorDocument>(COLLECTIONS.executors);
    this.executors = new ExecutorRecords(executors, calls, records);
    const sessions = db.collection<SessionDocument>(COLLECTIONS.sessions);
    this.sessions = new SessionRecords(sessions, calls, records);
    this.audit = new AuditRecords(db.collection<AuditDocument>(COLLECTIONS.audit), calls, records);
  }

  /** The time that every process with this store has; it goes on when the store is closed. */
  get clock(): ServerClock {
    return this.watch.clock;
  }

  async insert(task: Task): Promise<InsertResult> {
    // Without an index a search reads every task, so that no more are taken.
    this.storeWatch.expectWhole();
    const { idempotencyKey: key, taskId } = task.plan;
    const holder = key === null ? taskId : await this.keys.claim(key, taskId);
    if (holder === taskId) return this.inserts.insert(task);
    const held = await this.get(holder);
    return held === null ? { kind: 'reserved', taskId: holder } : { kind: 'duplicate', task: held };
  }

  commit(previous: Task, next: Task, onLeaving?: () => void): Promise<CommitResult> {
    return this.commits.commit(previous, next, onLeaving);
  }

  get(taskId: string): Promise<Task | null> {
    return this.reader.get(taskId);
  }

  async findByKey(idempotencyKey: string): Promise<Task | null> {
    const taskId = await this.keys.find(idempotencyKey);
    return taskId === null ? null : this.get(taskId);
  }

  findDue(now: number, limit: number, range: DueRange = {}): Promise<readonly Task[]> {
    return this.reader.findDue(now, limit, range);
  }

  list(query: TaskQuery): Promise<TaskPage> {
    return this.reader.list(query);
  }

  walk(filter: TaskFilter): AsyncIterable<WalkedTask> {
    return this.reader.walk(filter);
  }

  countLive(): Promise<Readonly<Record<string, number>>> {
    return this.reader.countLive();
  }

  countStarted(flow: string, limit: number): Promise<number> {
    return this.reader.countStarted(flow, limit);
  }

  saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    return this.flows.saveFlow(definition, hash, now);
  }

  getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    return this.flows.getFlow(name, version);
  }

  listFlows(): Promise<readonly FlowVersion[]> {
    return this.flows.listFlows();
  }

  announce(record: ExecutorRecord): Promise<void> {
    return this.executors.announce(record);
  }

  withdraw(instance: string, module: string): Promise<void> {
    return this.executors.withdraw(instance, module);
  }

  listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.executors.listExecutors(since, module);
  }

  listKnown(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.executors.listKnown(since, module);
  }

  openSession(session: string, leaseMs: number, origin: SessionOrigin = {}): Promise<void> {
    return this.sessions.open(session, leaseMs, origin);
  }

  renewSession(session: string): Promise<SessionState> {
    return this.sessions.renew(session);
  }

  endSession(session: string, beat: number): Promise<boolean> {
    return this.sessions.end(session, beat);
  }

  closeSession(session: string): Promise<void> {
    return this.sessions.close(session);
  }

  listSessions(): Promise<readonly SessionRecord[]> {
    return this.sessions.list();
  }

  forgetSession(session: string): Promise<void> {
    return this.sessions.forget(session);
  }

  findHeld(session: string, query: HeldQuery): Promise<HeldPage> {
    return this.reader.findHeld(session, query);
  }

  readRevisions(taskIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.reader.readRevisions(taskIds);
  }

  async ping(): Promise<void> {
    this.storeWatch.expectWritable();
    const ms = Math.min(PING_MS, this.calls.settings.operationMs);
    await this.calls.ask('a ping', () => this.client.db('admin').command({ ping: 1 }), ms);
  }

  /** Bounded: what is accepted is settled within its own limit, and the driver gets no longer. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    this.watch.stop();
    this.storeWatch.stop();
    const writers = [this.keys, this.inserts, this.commits, this.reader];
    await Promise.all(writers.map((each) => each.close()));
    this.calls.close();
    const { clock } = this.calls.settings;
    const limit = { clock, ms: DISCONNECT_MS };
    await endsWithin(this.client.close(true), limit).catch(() => undefined);
  }
}
