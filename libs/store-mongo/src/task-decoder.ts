import type { Task } from '#core';
import { type ListedTask, Quarantine, TaskUnreadable } from '#ports';
import type { Settings } from './options.js';
import type { StepLists } from './plan-document.js';
import { documentToSummary } from './summary-document.js';
import { documentToTask, type TaskDocument } from './task-document.js';

/** After this time a document that could not be read is tried again, in milliseconds. */
const TRIED_AGAIN_MS = 10_000;

/** Turns documents into tasks, each for itself: one that cannot be read stops no other. */
export class TaskDecoder {
  private readonly quarantine: Quarantine;

  constructor(
    private readonly lists: StepLists,
    private readonly settings: Pick<Settings, 'clock' | 'observer'>,
  ) {
    this.quarantine = new Quarantine(settings.observer);
  }

  /** How many documents are known that cannot be read. */
  get unreadable(): number {
    return this.quarantine.size;
  }

  /** The task, or why there is none. */
  decode(document: TaskDocument): Task | TaskUnreadable {
    try {
      const task = documentToTask(document, this.lists);
      this.quarantine.clear(document._id);
      return task;
    } catch (error) {
      return this.putAside(document, error);
    }
  }

  /** A document as a list shows it. */
  list(document: TaskDocument): ListedTask {
    const { _id: taskId } = document;
    const reason = this.quarantine.reasonOf(taskId);
    if (reason !== undefined) return { taskId, reason };
    try {
      return documentToSummary(document);
    } catch (error) {
      return { taskId, reason: this.putAside(document, error).reason };
    }
  }

  /** Ids of documents that were tried lately: until they are tried again, nobody looks for them. */
  putAsideLately(): readonly string[] {
    if (this.quarantine.size === 0) return [];
    return this.quarantine.since(this.settings.clock.monotonic() - TRIED_AGAIN_MS);
  }

  private putAside(document: TaskDocument, error: unknown): TaskUnreadable {
    const at = this.settings.clock.monotonic();
    return this.quarantine.note(document._id, error, { revision: document.revision, at });
  }
}
