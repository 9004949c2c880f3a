import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { ChangeMark, ListedTask, Timer } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** A task that has changed notably, as it stands now. */
export interface Change {
  /** Number of the change: after a smaller one nothing is missed that is told after this one. */
  readonly at: number;
  readonly item: ListedTask;
}

/** Hears of changes. */
export type ChangeListener = (changes: readonly Change[]) => void;

/** How often the store is asked while somebody listens, in milliseconds. */
const POLL_MS = 500;

/** Least time between two questions where a commit of this process asks for one. */
const GAP_MS = { alone: 20, shared: 200 } as const;

/** After so many questions one looks back as far as it may have to. */
const FAR_ROUNDS = 10;

/** Marks of one question, and documents of one reading. */
const MARKS_MAX = 1_000;
const READ_MAX = 200;

/**
 * Asks the store what has changed, once for all who listen in this process, and not at all while
 * nobody does. A commit of this process is asked for at once. Changes that came into sight late are
 * found by looking back; those that were told are known by their numbers.
 */
@Injectable()
export class ChangeFeed implements BeforeApplicationShutdown {
  /** The largest number that was told. */
  position = 0;
  private readonly listeners = new Set<ChangeListener>();
  /** Numbers that were told, by the ids of their tasks, as far back as is looked. */
  private readonly told = new Map<string, number>();
  private timer: Timer | null = null;
  private stopWatching: (() => void) | null = null;
  private starting: Promise<void> | null = null;
  private isAsking = false;
  private isMoved = false;
  private rounds = 0;

  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** How many listen. */
  get size(): number {
    return this.listeners.size;
  }

  /**
   * From when it resolves, the listener hears of every change with a number above `position`, and
   * of those that come into sight late, until the returned function is called. Throws what the
   * store throws.
   */
  async listen(listener: ChangeListener): Promise<() => void> {
    this.listeners.add(listener);
    const stop = (): void => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.rest();
    };
    try {
      await (this.starting ??= this.start());
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  beforeApplicationShutdown(): void {
    this.listeners.clear();
    this.rest();
  }

  private async start(): Promise<void> {
    const { changes, engine } = this.options;
    this.position = await changes.newest();
    // What is in sight now is old; what comes into sight behind it is not.
    if (changes.overlap.far > 0) await this.look(changes.overlap.far, () => undefined);
    if (this.listeners.size === 0) return this.rest();
    this.stopWatching = engine.watch.watchAny(() => this.move());
    this.wait(POLL_MS);
  }

  private rest(): void {
    this.timer?.cancel();
    this.timer = null;
    this.stopWatching?.();
    this.stopWatching = null;
    this.starting = null;
    this.told.clear();
  }

  /** This process has moved a task. */
  private move(): void {
    if (this.isMoved) return;
    this.isMoved = true;
    if (this.isAsking) return;
    this.timer?.cancel();
    this.wait(this.gap);
  }

  private get gap(): number {
    return this.options.changes.overlap.far === 0 ? GAP_MS.alone : GAP_MS.shared;
  }

  private wait(ms: number): void {
    this.timer = this.options.clock.after(ms, () => void this.ask());
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    this.isMoved = false;
    const { far, near } = this.options.changes.overlap;
    this.rounds += 1;
    const back = this.rounds % FAR_ROUNDS === 0 ? far : near;
    const asker = this.starting;
    // A store that does not answer only delays what is told.
    await this.look(back, (found) => this.tell(found)).catch(() => undefined);
    this.isAsking = false;
    if (this.listeners.size > 0 && asker === this.starting) {
      this.wait(this.isMoved ? this.gap : POLL_MS);
    }
  }

  /** Finds what was not told, from so far back on. */
  private async look(back: number, found: ChangeListener): Promise<void> {
    const { changes } = this.options;
    const { far } = changes.overlap;
    // A clock that was ahead must not hide what comes after it was set right.
    if (far > 0) this.position = Math.min(this.position, await changes.newest());
    const from = far === 0 ? this.position + 1 : this.position - back;
    let after: ChangeMark | undefined;
    do {
      const marks = await changes.find({ from, after, limit: MARKS_MAX });
      const fresh = marks.filter(({ at, taskId }) => this.told.get(taskId) !== at);
      for (let n = 0; n < fresh.length; n += READ_MAX) {
        const some = fresh.slice(n, n + READ_MAX);
        found(await readChanges(changes, some));
        this.note(some);
      }
      after = marks.length < MARKS_MAX ? undefined : marks.at(-1);
    } while (after !== undefined);
    this.forget(this.position - far);
  }

  private note(marks: readonly ChangeMark[]): void {
    for (const { at, taskId } of marks) {
      this.position = Math.max(this.position, at);
      if (this.options.changes.overlap.far === 0) continue;
      this.told.delete(taskId);
      this.told.set(taskId, at);
    }
  }

  /** Those that were told last stand last, so that the first ones are the oldest, or nearly. */
  private forget(before: number): void {
    for (const [taskId, at] of this.told) {
      if (at >= before) return;
      this.told.delete(taskId);
    }
  }

  private tell(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const listener of [...this.listeners]) listener(changes);
  }
}

/** How the tasks of these marks stand now, in their order. */
export async function readChanges(
  changes: Pick<OssOptions['changes'], 'summaries'>,
  marks: readonly ChangeMark[],
): Promise<readonly Change[]> {
  const items = await changes.summaries(marks.map(({ taskId }) => taskId));
  const byId = new Map(items.map((item) => [item.taskId, item]));
  return marks.flatMap(({ at, taskId }) => {
    const item = byId.get(taskId);
    return item === undefined ? [] : [{ at, item }];
  });
}
