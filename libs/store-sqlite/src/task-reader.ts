import type { Task } from '#core';
import type { TaskSummary } from '#core/stored';
import {
  isUnreadable,
  type ListedTask,
  PAGE_CHARACTERS,
  type Quarantine,
  TaskUnreadable,
  type UnreadableTask,
} from '#ports';
import { fromColumn } from './column-text.js';
import type { StepShelf } from './plan-codec.js';
import type {
  RowPosition,
  StoredSummary,
  StoredTask,
  StoredTasks,
  TasksRequest,
} from './protocol.js';
import { decodeSummary } from './summary-codec.js';
import type { TaskCache } from './task-cache.js';
import { decodeTask } from './task-codec.js';
import type { WorkerLink } from './worker-link.js';

/** Entries of lists that are kept. */
const SUMMARIES_MAX = 1_000;

/** Tasks that were asked for; of a walk, where they stand and where it goes on. */
export interface TasksAnswer {
  readonly items: readonly (Task | UnreadableTask)[];
  readonly places: readonly RowPosition[];
  readonly last: RowPosition | null;
}

/** The parts that tasks are read with. */
interface ReaderParts {
  readonly link: WorkerLink;
  readonly cache: TaskCache;
  readonly steps: StepShelf;
  readonly quarantine: Quarantine;
}

/** Turns stored rows into tasks, each for itself: one that cannot be read stops no other. */
export class TaskReader {
  readonly #cache: TaskCache;
  /** Rows whose document this process wrote or has read: only it can have changed them since. */
  readonly #checked = new RowMarks();
  readonly #link: WorkerLink;
  readonly #quarantine: Quarantine;
  readonly #steps: StepShelf;
  /** Entries of lists that were read, by task. */
  readonly #summaries = new Map<string, { stored: StoredSummary; summary: TaskSummary }>();

  constructor({ cache, link, quarantine, steps }: ReaderParts) {
    this.#cache = cache;
    this.#link = link;
    this.#quarantine = quarantine;
    this.#steps = steps;
  }

  /** Notes that this process wrote the row. */
  trust(row: number): void {
    this.#checked.add(row);
  }

  /** The one task that was asked for. Throws `TaskUnreadable`. */
  async askForOne(request: TasksRequest): Promise<Task | null> {
    const { items } = await this.ask(request);
    const item = items[0];
    if (item === undefined) return null;
    if (isUnreadable(item)) throw new TaskUnreadable(item.taskId, item.reason);
    return item;
  }

  /**
   * Asks for tasks; those whose document this process has are not decoded. An answer is turned into
   * tasks at once, before anything newer can be known of them, or else it is asked for again.
   */
  async ask(request: TasksRequest): Promise<TasksAnswer> {
    for (;;) {
      const { last, places, tasks } = await this.#link.ask<StoredTasks>(request);
      const unknown = tasks.find(([, , , , , stepsKey]) => !this.#steps.knows(stepsKey))?.[5];
      if (unknown === undefined) {
        return { items: Array.from(tasks, (stored) => this.#read(stored)), places, last };
      }
      this.#steps.read(unknown, await this.#link.ask<string | null>(['getSteps', unknown]));
    }
  }

  #read(stored: StoredTask): Task | UnreadableTask {
    const [column, row, revision] = stored;
    try {
      const known = this.#cache.find(fromColumn(column));
      if (known !== undefined && known.task.revision >= revision) return known.task;
      const read = decodeTask(stored, this.#steps);
      this.#checked.add(row);
      this.#cache.keep(read);
      return read.task;
    } catch (error) {
      return this.#putAside(stored, error);
    }
  }

  /** Nobody else can mend it while the file is ours, so it is not looked for any more. */
  #putAside([taskId, row, revision]: StoredTask | StoredSummary, error: unknown): UnreadableTask {
    const { reason } = this.#quarantine.note(taskId, error, { revision });
    this.#link.ask(['passOver', row]).catch(() => undefined);
    return { taskId, reason };
  }

  /** Reads what is listed and was never read here, a bounded part of it at a time. */
  async check(summaries: readonly StoredSummary[]): Promise<void> {
    const rows: number[] = [];
    for (const [taskId, row] of summaries) {
      if (this.#checked.has(row) || this.#quarantine.reasonOf(taskId) !== undefined) continue;
      rows.push(row);
    }
    if (rows.length > 0) await this.ask(['readRows', rows, PAGE_CHARACTERS]);
  }

  /** Lists show the same tasks again and again, and most have not moved in between. */
  #summaryOf(stored: StoredSummary): TaskSummary {
    const known = this.#summaries.get(stored[0]);
    if (known?.stored.every((part, n) => part === stored[n]) === true) return known.summary;
    const summary = decodeSummary(stored);
    if (this.#summaries.size >= SUMMARIES_MAX) this.#summaries.clear();
    this.#summaries.set(stored[0], { stored, summary });
    return summary;
  }

  /** The entry of a row in a list. */
  listed(stored: StoredSummary): ListedTask {
    const [taskId] = stored;
    const reason = this.#quarantine.reasonOf(taskId);
    if (reason !== undefined) return { taskId, reason };
    try {
      return this.#summaryOf(stored);
    } catch (error) {
      return this.#putAside(stored, error);
    }
  }
}

/** Which rows have a mark: one bit for each, because a file may have very many. */
class RowMarks {
  #bits = new Uint8Array(1_024);

  /** Marks a row. */
  add(row: number): void {
    const place = row >>> 3;
    if (place >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(place + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[place]! |= 1 << (row & 7);
  }

  /** Whether the row has the mark. */
  has(row: number): boolean {
    return ((this.#bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }
}
