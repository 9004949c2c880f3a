import { contentSize, FINAL_STATUSES, type Task } from '#core';
import { restsSinceBefore } from '#core/read';
import {
  type Clock,
  type FinalStore,
  isUnreadable,
  type Observer,
  type OperationRecord,
  type OutputPart,
  type Records,
  type StoredProgress,
  StoreUnavailable,
  type TaskArchive,
  type TaskStore,
  timeOfRemovals,
} from '#ports';
import { Loop, pauseOfPass, within } from './loop.js';

/** Tasks that are looked at in one round. */
const ROUND_TASKS = 250;

/** Bytes of content from which a round takes no further task. */
const ROUND_BYTES = 16 * 1_048_576;

/** Operations that are removed in one round at most. */
const ROUND_OPERATIONS = 50;

/** How many times longer than a round the pause after it is: what runs has the store meanwhile. */
const REST = 9;

/** Shortest and longest pause between two rounds of one pass, in milliseconds. */
const PAUSE_MIN_MS = 50;

const PAUSE_MAX_MS = 10_000;

/** The parts that retention works with. */
interface RetentionParts {
  readonly store: Pick<TaskStore, 'walk'>;
  readonly removal: TaskRemoval;
  readonly operations: Pick<Records<OperationRecord, 'ended'>, 'removeAll'>;
  /** The time of tasks. */
  readonly clock: Clock;
  readonly observer: Pick<Observer, 'noticed' | 'committed'>;
  /** How long final tasks and ended operations are kept, in milliseconds. */
  readonly keptMs: number;
}

/** Parts of what attempts wrote that are removed in one write. */
const ROUND_SAID = 500;

/** The parts that removals work with. */
interface RemovalParts {
  readonly finals: FinalStore;
  /** The output and the progress of attempts. */
  readonly said: readonly Pick<Records<OutputPart | StoredProgress, 'task'>, 'removeAll'>[];
  /** Where tasks are written before they are removed; null: nowhere. */
  readonly archive: TaskArchive | null;
}

/**
 * Removes final tasks that have been at rest for long enough, in passes through all of them, each
 * of small rounds with pauses, so that tasks that run do not feel it; operations that ended go too.
 * Any number of processes may do so at once: a task is removed at the revision that was looked at,
 * or not at all.
 */
export class Retention {
  private readonly loop: Loop;
  /** Where the pass goes on; undefined: at the newest task that is old enough. */
  private cursor: string | undefined;
  private pauseMs = 0;
  private isFailing = false;
  private inPass = 0;
  private total = 0;
  private lastRoundAt: number | null = null;
  private readonly now: () => number;

  constructor(private readonly parts: RetentionParts) {
    this.now = timeOfRemovals(parts.clock);
    const pauseMs = (): number => this.pauseMs;
    const work = {
      name: 'retention',
      get intervalMs() {
        return pauseMs();
      },
      tick: () => this.tick(),
    };
    this.loop = new Loop(work, parts.clock, parts.observer);
  }

  /** How many tasks this process has removed. */
  get removed(): number {
    return this.total;
  }

  /** When the last round ended that went well, milliseconds since 1970; null: none has. */
  get roundEndedAt(): number | null {
    return this.lastRoundAt;
  }

  async start(): Promise<void> {
    this.loop.start();
  }

  /** Waits for the round in hand. Safe to call twice and before start. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /**
   * One round: resolves to the number of tasks removed. Never rejects: what fails is noticed once,
   * and done again in the next round.
   */
  async tick(): Promise<number> {
    const { clock } = this.parts;
    const from = clock.monotonic();
    try {
      const removed = await this.round();
      this.isFailing = false;
      this.lastRoundAt = clock.now();
      const restMs = REST * (clock.monotonic() - from);
      this.pauseMs =
        this.cursor === undefined
          ? pauseOfPass(this.parts.keptMs)
          : within(restMs, [PAUSE_MIN_MS, PAUSE_MAX_MS]);
      return removed;
    } catch (error) {
      this.pauseMs = PAUSE_MAX_MS;
      this.tell(error);
      return 0;
    }
  }

  private async round(): Promise<number> {
    const { keptMs, operations, removal } = this.parts;
    const before = this.now() - keptMs;
    await operations.removeAll({ index: 'ended', upTo: before, limit: ROUND_OPERATIONS });
    const { cursor, tasks } = await this.find(before);
    const removed = await removal.remove(await removal.withoutParents(tasks));
    this.total += removed;
    this.inPass += removed;
    this.cursor = cursor;
    if (cursor === undefined) this.endPass();
    return removed;
  }

  /** The tasks of the next stretch that are old enough, and where the one behind it begins. */
  private async find(
    before: number,
  ): Promise<{ readonly tasks: readonly Task[]; readonly cursor: string | undefined }> {
    const { store } = this.parts;
    const { cursor } = this;
    const from = cursor === undefined ? {} : { cursor };
    const tasks: Task[] = [];
    let looked = 0;
    let bytes = 0;
    for await (const walked of store.walk({
      statuses: FINAL_STATUSES,
      createdBefore: before,
      ...from,
    })) {
      const { item } = walked;
      // One that cannot be read is left for whoever mends it.
      if (!isUnreadable(item) && restsSinceBefore(item, before)) {
        tasks.push(item);
        bytes += contentSize(item);
      }
      looked += 1;
      if (looked >= ROUND_TASKS || bytes >= ROUND_BYTES) return { tasks, cursor: walked.cursor };
    }
    return { tasks, cursor: undefined };
  }

  private endPass(): void {
    const { inPass } = this;
    this.inPass = 0;
    if (inPass === 0) return;
    const where = this.parts.removal.isArchiving ? ', archived first' : '';
    const tasks = inPass === 1 ? '1 final task' : `${inPass} final tasks`;
    const message = `retention removed ${tasks}${where}`;
    this.parts.observer.noticed({ level: 'info', name: 'tasks_removed', message });
  }

  private tell(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const message = 'retention could not remove tasks; the next round tries again';
    this.parts.observer.noticed({ level: 'warn', name: 'retention_failed', message, error });
  }
}

/**
 * Removes final tasks at rest with all that belongs to them, for retention and for people. The task
 * of a child goes after its parent's, because the parent's undoing needs it.
 */
export class TaskRemoval {
  constructor(private readonly parts: RemovalParts) {}

  /** Whether tasks are archived first. */
  get isArchiving(): boolean {
    return this.parts.archive !== null;
  }

  /** Those that are nobody's child, or whose parent is gone. Throws `StoreUnavailable`. */
  async withoutParents(tasks: readonly Task[]): Promise<readonly Task[]> {
    const parents = new Set(tasks.flatMap(({ plan }) => plan.parent?.taskId ?? []));
    if (parents.size === 0) return tasks;
    const present = await this.parts.finals.findPresent([...parents]);
    return tasks.filter(({ plan }) => plan.parent === null || !present.has(plan.parent.taskId));
  }

  /**
   * Archives tasks that are at rest and without parents, and removes those that still have the
   * revision given. Resolves to how many. Throws `StoreUnavailable`, also where they cannot be
   * archived; doing it again is harmless.
   */
  async remove(tasks: readonly Task[]): Promise<number> {
    if (tasks.length === 0) return 0;
    const { archive, finals } = this.parts;
    await archive?.write(tasks).catch((cause: unknown) => {
      throw new StoreUnavailable(`tasks cannot be archived: ${String(cause)}`, { cause });
    });
    // First: of a task that is gone nobody would look for it.
    await this.removeSaid(tasks.map(({ plan }) => plan.taskId));
    return finals.remove(tasks);
  }

  private async removeSaid(taskIds: readonly string[]): Promise<void> {
    for (const { removeAll } of this.parts.said) {
      const query = { index: 'task', anyOf: taskIds, limit: ROUND_SAID } as const;
      while ((await removeAll(query)) === ROUND_SAID);
    }
  }
}
