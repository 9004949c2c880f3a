import { type Dispatch, directionOf, type FlowVersion, type Task } from '#core';
import { ownersOf } from '#core/read';
import { type CommitResult, type DueRange, type InsertResult, isInShare } from '#ports';
import { ADMISSION, type AdmissionRecord, MODULE_LIMIT } from '#ports';
import type { LockEntry } from '#ports';
import { MemoryLocks, MemoryRecords, MemorySnapshots } from '#testing';
import { placeOfMessage } from './message-place.js';
import { SessionServer } from './session-server.js';
import { lineOf, type World } from './world.js';

/** One document as it was stored. */
export interface Stored {
  readonly task: Task;
  /** True time. */
  readonly at: number;
  /** The process that wrote it. */
  readonly writer: string;
}

/** Milliseconds of writes that a failover loses where one node alone acknowledges them. */
const FORGOTTEN_MS = 1_000;

/** Tells of every document at the moment it is stored. */
export type StoreWitness = (stored: Stored, before: Task | null) => void;

/** The store that all processes share, and everything it ever stored. */
export class StoreServer {
  readonly tasks = new Map<string, Task>();
  readonly history = new Map<string, Stored[]>();
  readonly keys = new Map<string, string>();
  /** The versions of flows that others run, the first one first. */
  readonly flows = new Map<string, FlowVersion[]>();
  readonly sessions: SessionServer;
  readonly snapshots = new MemorySnapshots();
  /** The lines of locks. */
  readonly lines = new Map<string, readonly LockEntry[]>();
  readonly locks = new MemoryLocks(
    () => this.lines,
    () => {},
  );
  private readonly kept = new Map<string, Map<string, unknown>>();
  /** The limits of modules, and what is kept for them. */
  readonly records = new MemoryRecords(
    () => this.kept,
    () => {},
  );
  /** It answers nobody until then. */
  downUntil = 0;
  /** It takes no writes until then. */
  fullUntil = 0;
  /** Elections until now: what was under way at one has no answer. */
  term = 0;
  witness: StoreWitness = () => {};
  /** The document of a write that leaves right now. */
  leaving: Task | null = null;
  /** By task: the documents that left with their messages, which may be there before them. */
  private readonly left = new Map<string, Task[]>();

  constructor(private readonly world: World) {
    this.sessions = new SessionServer(world);
    const limits = world.scenario.limits.map((limit) => [limit.module, limit] as const);
    this.kept.set(MODULE_LIMIT.name, new Map(limits));
  }

  /** The actions that are admitted to the modules with limits. */
  get admissions(): readonly AdmissionRecord[] {
    return [...(this.kept.get(ADMISSION.name)?.values() ?? [])] as AdmissionRecord[];
  }

  /** Tells a writer that its write leaves. */
  leave(task: Task, onLeaving: () => void): void {
    this.leaving = task;
    const { taskId } = task.plan;
    this.left.set(taskId, [...(this.left.get(taskId) ?? []), task]);
    onLeaving();
    this.leaving = null;
  }

  /** The id of the task that has the key from now on. */
  claimKey(key: string, taskId: string): string {
    if (this.world.mutant?.server === 'ignores_key') return taskId;
    const holder = this.keys.get(key) ?? taskId;
    this.keys.set(key, holder);
    return holder;
  }

  insert(task: Task, writer: string): InsertResult {
    const { idempotencyKey, taskId } = task.plan;
    const hasKey = idempotencyKey !== null && this.world.mutant?.server !== 'ignores_key';
    const found = this.tasks.get((hasKey && this.keys.get(idempotencyKey)) || taskId);
    if (found !== undefined && found.plan.taskId !== taskId) {
      return { kind: 'duplicate', task: found };
    }
    if (found !== undefined) return { kind: 'present' };
    if (idempotencyKey !== null) this.keys.set(idempotencyKey, taskId);
    this.put(task, writer, null);
    return { kind: 'inserted' };
  }

  commit(previous: Task, next: Task, writer: string): CommitResult {
    const stored = this.tasks.get(previous.plan.taskId);
    const isFree = this.world.mutant?.server === 'ignores_revision';
    if (stored === undefined || (stored.revision !== previous.revision && !isFree)) {
      this.world.see('lost race');
      if (stored !== undefined) this.seeRace({ loser: next, previous, winner: stored });
      return 'conflict';
    }
    if (!this.snapshots.isTrue(previous, stored)) {
      this.world.see('document of a message that is not the stored one');
      if (this.world.mutant?.server !== 'believes_messages') return 'conflict';
    }
    this.put(next, writer, stored);
    return 'committed';
  }

  private seeRace(race: { loser: Task; previous: Task; winner: Task }): void {
    const { loser, previous, winner } = race;
    if (isPersons(loser, previous)) this.world.see("person's race lost");
    if (isPersons(winner, previous)) this.world.see("person's race won");
  }

  /** The mutant's half of a write: what was checked before is not checked now. */
  overwrite(next: Task, writer: string): void {
    this.put(next, writer, this.tasks.get(next.plan.taskId) ?? null);
  }

  /** Whether the task, as it is stored, has the action queued that a message asks for. */
  asksFor({ message }: Dispatch): boolean {
    const task = this.tasks.get(message.taskId);
    const place = task === undefined ? null : placeOfMessage(task, message);
    const runs = place === null ? undefined : task?.runs[place];
    const direction = directionOf(message.type);
    return (direction === 'normal' ? runs?.normal : runs?.rollback)?.state === 'queued';
  }

  isDown(): boolean {
    return this.world.now < this.downUntil;
  }

  isFull(): boolean {
    return this.world.now < this.fullUntil;
  }

  /** The primary is lost: a while there is none, and what is under way gets no answer. */
  failOver(ms: number): void {
    this.term += 1;
    this.downUntil = Math.max(this.downUntil, this.world.now + ms);
    if (this.world.mutant?.server === 'forgets_at_failover') this.forgetLately();
  }

  private forgetLately(): void {
    for (const [taskId, all] of this.history) {
      if (this.world.now - (all.at(-1)?.at ?? 0) < FORGOTTEN_MS) this.revert(taskId);
    }
  }

  /** The last write of a task was never there. */
  revert(taskId: string): void {
    const all = this.history.get(taskId) ?? [];
    const before = all.at(-2);
    if (before !== undefined) this.tasks.set(taskId, before.task);
  }

  /** The task now, or as a reader may see it that has not seen anything newer than `floor`. */
  read(taskId: string, floor: number | null): Task | null {
    const newest = this.tasks.get(taskId);
    if (newest === undefined) return null;
    if (floor === null) return this.asStored(newest);
    const older = this.history.get(taskId)?.at(-2)?.task;
    if (older === undefined || older.revision < floor) return this.asStored(newest);
    this.world.see('stale read');
    return this.asStored(older);
  }

  /** A shared store has documents only; the embedded one has in memory what was written. */
  private asStored(task: Task): Task {
    return this.world.scenario.isStandalone ? task : { ...task, index: null };
  }

  /**
   * Reads a task from its text. Where the text is true, the task shares its parts with the stored
   * document, as one that is read from the store does.
   */
  recall(text: string): Task | null {
    const told = this.snapshots.recall(text);
    if (told === null) return null;
    const { plan, revision } = told;
    const stored = this.history.get(plan.taskId)?.find(({ task }) => task.revision === revision);
    const known = [stored?.task, ...(this.left.get(plan.taskId) ?? [])];
    const same = known.find((task) => task !== undefined && this.snapshots.textOf(task) === text);
    return same === undefined ? told : this.snapshots.note({ ...same, index: null }, text);
  }

  due(now: number, limit: number, { share, skip = 0 }: DueRange = {}): readonly Task[] {
    const due: Task[] = [];
    for (const task of this.tasks.values()) {
      if (task.wakeAt !== null && task.wakeAt <= now) due.push(this.asStored(task));
    }
    const own = due.slice(skip).filter((task) => {
      return isInShare(task.plan.taskId, task.wakeAt ?? now, share);
    });
    if (share !== undefined && own.length < due.length) this.world.see('due tasks left to others');
    return own.slice(0, limit);
  }

  /** Tasks that a session holds, behind that one, in the order of their ids. */
  held(session: string, after: string): readonly Task[] {
    const held = [...this.tasks.values()].filter((task) => ownersOf(task).includes(session));
    const rest = held.filter(({ plan }) => plan.taskId > after);
    return rest.sort((one, other) => (one.plan.taskId < other.plan.taskId ? -1 : 1));
  }

  private put(task: Task, writer: string, before: Task | null): void {
    const stored = { task, writer, at: this.world.now };
    const { taskId } = task.plan;
    const all = this.history.get(taskId);
    if (all === undefined) this.history.set(taskId, [stored]);
    else all.push(stored);
    this.tasks.set(taskId, task);
    this.world.tell(`${writer} stored ${lineOf(task)}`);
    this.witness(stored, before);
  }
}

/** Whether a person has acted between two documents. */
function isPersons(task: Task, before: Task): boolean {
  return task.doneActions.length > before.doneActions.length;
}
