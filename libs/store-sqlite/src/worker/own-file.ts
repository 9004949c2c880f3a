import { type BigIntStats, existsSync, lstatSync, readlinkSync } from 'node:fs';
import { realpathSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

/** Marks of a file; a write by another program changes one of them. */
type Known = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

/**
 * Tells whether the file that this process has open is still the one under its name, and as this
 * process left it. The system keeps a removed file for as long as it is open, so that writing to it
 * goes well until the process ends.
 */
export class OwnFile {
  readonly #file: string;
  readonly #log: string;
  #known: Known | null = null;
  #knownLog: Known | null = null;

  constructor(file: string) {
    this.#file = file;
    this.#log = logOf(file);
    this.settle();
  }

  /** Both are now as this process left them: after the opening, and after each checkpoint. */
  settle(): void {
    this.#known = look(this.#file);
    this.settleLog();
  }

  /** The log is as this process left it: after each write. It is made with the first one. */
  settleLog(): void {
    this.#knownLog = look(this.#log);
  }

  /** Size of the log as this process left it. */
  get logBytes(): number {
    return Number(this.#knownLog?.size ?? 0);
  }

  /** Tells what was done to the file, as the end of a sentence; null: nothing. */
  harm(): string | null {
    const now = look(this.#file);
    if (now === null) return 'was removed or moved';
    if (!isSameFile(now, this.#known)) return 'was replaced by another one';
    if (isOther(now, this.#known)) return 'was changed by another program';
    return this.#harmOfLog();
  }

  /** Puts the file aside where another program has changed it: the log is not its own any more. */
  putAsideIfChanged(): void {
    const now = look(this.#file);
    if (now === null || !isSameFile(now, this.#known) || !isOther(now, this.#known)) return;
    putAside(this.#file);
  }

  #harmOfLog(): string | null {
    if (this.#knownLog === null) return null;
    const now = look(this.#log);
    if (now === null || !isSameFile(now, this.#knownLog)) return 'has lost its log (-wal)';
    return isOther(now, this.#knownLog) ? 'has a log (-wal) that another program changed' : null;
  }
}

/**
 * Puts a file aside until the worker has ended and {@link takeBack} is called. With the end SQLite
 * would move the log into the file; it does not where it finds nothing under the file's name.
 */
export function putAside(file: string): void {
  renameSync(linked(file), aside(file));
}

/** Gives a file its name again that a worker has put aside. */
export function takeBack(file: string): void {
  if (existsSync(aside(file)) && !existsSync(file)) renameSync(aside(file), linked(file));
}

function aside(file: string): string {
  return `${linked(file)}-aside`;
}

/** The file that a link leads to, also where that is put aside. */
function linked(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? path.resolve(path.dirname(file), readlinkSync(file)) : file;
}

function isOther(now: Known, before: Known | null): boolean {
  return now.size !== before?.size || now.mtimeNs !== before.mtimeNs;
}

/** The log lies beside the file itself, not beside a link to it. */
export function logOf(file: string): string {
  return `${realpathSync(file)}-wal`;
}

function look(file: string): Known | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
}

function isSameFile(now: Known, before: Known | null): boolean {
  return now.ino === before?.ino && now.dev === before.dev;
}
