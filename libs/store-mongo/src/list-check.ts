import type { Collection } from 'mongodb';
import type { ServerCalls } from './server-calls.js';
import type { TaskDecoder } from './task-decoder.js';
import { readSome } from './read-some.js';
import type { TaskDocument } from './task-document.js';

/** For so long what was read whole counts as readable, in milliseconds. */
const CHECKED_MS = 10_000;
/** Most documents that one check reads. */
const CHECK_MAX = 200;
/** Most documents that are remembered. */
const KEPT_MAX = 20_000;

/** The dependencies of a check. */
interface CheckParts {
  readonly tasks: Collection<TaskDocument>;
  readonly decoder: TaskDecoder;
}

/**
 * Reads whole documents that are listed now and then: of a document whose large parts are broken, a
 * list alone would see nothing. One check at a time, a bounded part of a page each, so that what a
 * list costs does not depend on what tasks hold.
 */
export class ListCheck {
  /** When each was read, by the monotonic clock; the oldest first. */
  private readonly checked = new Map<string, number>();
  private isBusy = false;

  constructor(
    private readonly parts: CheckParts,
    private readonly calls: ServerCalls,
  ) {}

  /** Reads some of these documents. That they cannot be read now is for the list itself to say. */
  async check(documents: readonly TaskDocument[]): Promise<void> {
    if (this.isBusy) return;
    const ids = this.due(documents);
    if (ids.length === 0) return;
    this.isBusy = true;
    try {
      const { decoder, tasks } = this.parts;
      const read = await readSome(this.calls, () => tasks.find({ _id: { $in: ids } }));
      for (const document of read) {
        decoder.decode(document);
        this.note(document._id);
      }
    } catch {
      // The next list checks them.
    } finally {
      this.isBusy = false;
    }
  }

  private due(documents: readonly TaskDocument[]): string[] {
    const oldest = this.calls.settings.clock.monotonic() - CHECKED_MS;
    const times = documents.map(({ _id }) => [_id, this.checked.get(_id) ?? -Infinity] as const);
    const due = times.filter(([, at]) => at < oldest).sort(([, a], [, b]) => a - b);
    return due.slice(0, CHECK_MAX).map(([id]) => id);
  }

  private note(taskId: string): void {
    this.checked.delete(taskId);
    this.checked.set(taskId, this.calls.settings.clock.monotonic());
    const [first] = this.checked.keys();
    if (this.checked.size > KEPT_MAX && first !== undefined) this.checked.delete(first);
  }
}
