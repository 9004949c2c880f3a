import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock, Timer } from '#ports';

/** The folder to watch, and the callback for changes. */
interface FolderWatchOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Quiet time after which changes count as done. */
  readonly settleMs: number;
  readonly onSettled: () => void;
}

/** A long series of changes is told after this many quiet times, quiet or not. */
const SETTLE_MAX = 10;

/**
 * Tells that something in a folder has changed, once per series of changes. Which file it was does
 * not matter, so the platform's own watcher is enough: its gaps (names that are missing, events
 * that come twice, a save that is a rename) all concern the details that nobody asks for here.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  #watcher: FSWatcher | null = null;
  /** Which folder is watched: another one may have taken its place under the same path. */
  #identity = '';
  #isOpen = false;
  #timer: Timer | null = null;
  #changedAt: number | null = null;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Lets `arm` begin to watch. */
  open(): void {
    this.#isOpen = true;
  }

  /** Watches the folder, if it is there and not watched yet. Cheap to call again and again. */
  async arm(): Promise<void> {
    const identity = await identify(this.#options.path);
    if (!this.#isOpen || (this.#watcher !== null && identity === this.#identity)) return;
    this.#disarm();
    if (identity === null) return;
    this.#identity = identity;
    try {
      const watcher = watch(this.#options.path, { persistent: false }, () => this.#changed());
      watcher.on('error', () => this.#disarm());
      this.#watcher = watcher;
    } catch {
      // No watcher is available here. The caller of `arm` looks for changes now and then.
    }
  }

  /** Stops watching; nothing is told any more. Safe to call twice. */
  close(): void {
    this.#isOpen = false;
    this.#disarm();
    this.#timer?.cancel();
    this.#timer = null;
    this.#changedAt = null;
  }

  #disarm(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  #changed(): void {
    if (!this.#isOpen) return;
    const { clock, settleMs } = this.#options;
    const now = clock.monotonic();
    this.#changedAt ??= now;
    if (this.#timer !== null && now - this.#changedAt >= settleMs * SETTLE_MAX) return;
    this.#timer?.cancel();
    this.#timer = clock.after(settleMs, () => {
      this.#timer = null;
      this.#changedAt = null;
      this.#options.onSettled();
    });
  }
}

/** Null: there is no such folder. Time of birth is part of it, as a number alone is used again. */
async function identify(path: string): Promise<string | null> {
  try {
    const { dev, ino, birthtimeMs } = await stat(path);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return null;
  }
}
