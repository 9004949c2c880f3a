import { DocumentFault } from '#core/json';
import { TaskUnreadable } from './errors.js';
import type { Observer } from './observer.js';

/** Most documents that are remembered; more would be reported again. */
const KEPT_MAX = 10_000;

interface Found {
  readonly revision: unknown;
  readonly reason: string;
  /** When it was read last, by the clock of whoever noted it. */
  readonly at: number;
}

/**
 * The stored documents that a store could not read. Each is reported once per revision and reason,
 * however often it is read.
 */
export class Quarantine {
  readonly #found = new Map<string, Found>();
  readonly #observer: Pick<Observer, 'noticed'>;

  constructor(observer: Pick<Observer, 'noticed'>) {
    this.#observer = observer;
  }

  /** How many there are. */
  get size(): number {
    return this.#found.size;
  }

  /** Why the document cannot be read; undefined: nothing is known against it. */
  reasonOf(taskId: string): string | undefined {
    return this.#found.get(taskId)?.reason;
  }

  /** Notes a document that was read at `at`; gives what its reader throws. */
  note(taskId: string, error: unknown, { revision, at = 0 }: NoteContext): TaskUnreadable {
    const reason = reasonOf(error);
    const known = this.#found.get(taskId);
    this.#found.set(taskId, { revision, reason, at });
    const unreadable = new TaskUnreadable(taskId, reason);
    if (known?.revision === revision && known?.reason === reason) return unreadable;
    const [oldest] = this.#found.keys();
    if (this.#found.size > KEPT_MAX && oldest !== undefined) this.#found.delete(oldest);
    const { message } = unreadable;
    this.#observer.noticed({ level: 'error', name: 'unreadable_task', message, taskId });
    return unreadable;
  }

  /** The document was read after all. */
  clear(taskId: string): void {
    if (this.#found.size > 0) this.#found.delete(taskId);
  }

  /** Ids of those that were read at or after a moment. */
  since(at: number): readonly string[] {
    const ids: string[] = [];
    for (const [taskId, found] of this.#found) if (found.at >= at) ids.push(taskId);
    return ids;
  }
}

/** The context of a document that could not be read. */
interface NoteContext {
  /** As stored, whatever it is. */
  readonly revision: unknown;
  /** Default: 0. */
  readonly at?: number;
}

/** Why a document cannot be read, quoting nothing of it. */
function reasonOf(error: unknown): string {
  if (error instanceof TaskUnreadable) return error.reason;
  return error instanceof DocumentFault ? error.message : 'it has not the form of a task';
}
