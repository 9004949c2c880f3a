import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Clock, type Observer, StoreUnavailable, type Timer } from '#ports';
import { groupsOf, type Target } from './target-list.js';

/** How soon a file tells what another process has changed, in milliseconds. */
const FOLLOW_MS = 5_000;

/** Writes the file that Prometheus reads, unless it says so already. */
export function writeTargetFile(file: string, targets: readonly Target[]): void {
  const content = `${JSON.stringify(groupsOf(targets), null, 2)}\n`;
  if (contentOf(file) !== content) replaceFile(file, content);
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The path of a file of targets, and the dependencies of its writer. */
interface TargetFileParts {
  readonly clock: Clock;
  readonly file: string;
  readonly observer: Observer;
  /** Everything that is watched. May throw `StoreUnavailable`. */
  readonly read: () => Promise<readonly Target[]>;
}

/**
 * A file that follows targets which several machines change. Changes by this process are in it at
 * once, changes by others a few seconds later; a reader that cannot wait asks over HTTP.
 */
export class TargetFile {
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(private readonly parts: TargetFileParts) {}

  /**
   * Brings the file up to date. One reading comes after the other, so that no older state is
   * written over a newer one; calls of one moment share one.
   */
  project(): Promise<void> {
    if (this.#next !== null) return this.#next;
    const work = (): Promise<void> => {
      this.#next = null;
      return this.#write();
    };
    this.#next = this.#last.then(work, work);
    this.#last = this.#next;
    return this.#next;
  }

  /** Keeps the file up to date from now on. */
  follow(): void {
    this.#timer = this.parts.clock.after(FOLLOW_MS, () => void this.#round());
  }

  /** Writes no more. Resolves when the writing in hand is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#last.catch(() => undefined);
  }

  async #round(): Promise<void> {
    await this.project().catch((error: unknown) => {
      // It is away for everybody, and others say so.
      if (error instanceof StoreUnavailable) return;
      const message = `the file of targets ${this.parts.file} cannot be written`;
      this.parts.observer.noticed({ level: 'warn', name: 'targets_not_written', message, error });
    });
    if (!this.#stopped) this.follow();
  }

  async #write(): Promise<void> {
    const targets = await this.parts.read();
    if (!this.#stopped) writeTargetFile(this.parts.file, targets);
  }
}

/**
 * Gives a file new content: readers see the old one or the new one, also after a power cut. Other
 * users may read it and list its folder, whatever the umask of the process.
 */
function replaceFile(file: string, content: string): void {
  const folder = path.dirname(file);
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
  // Several processes may have the folder.
  const part = `${file}.${process.pid}.part`;
  writeThrough(part, content);
  renameSync(part, file);
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function writeThrough(file: string, content: string): void {
  const handle = openSync(file, 'w', 0o644);
  try {
    fchmodSync(handle, 0o644);
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
