import { hash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Task } from '#core';
import { archivedTask } from '#core/stored';
import type { Clock, TaskArchive } from '#ports';
import { addEntry, beginManifest, type ManifestEntry } from './manifest.js';

const compress = promisify(gzip);

/** One task that is to be written. */
interface ArchiveLine {
  /** JSON in one line. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

/** Where lines go. */
interface ArchiveFolderOptions {
  readonly folder: string;
  /** Version of the program that writes. */
  readonly writtenBy: string;
  /** A text that no other file has had; letters, digits, `-` and `_`. */
  readonly newName: () => string;
}

/** How an archive is written. */
interface FileArchiveOptions extends ArchiveFolderOptions {
  /** Names days. */
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The folder of an archive: `<day>/<name>.jsonl.gz`, one task a line, and a manifest that has an
 * entry for each file. A file that has no entry is one that a crash left.
 */
export class ArchiveFolder {
  /** Days whose folders are there for certain. */
  private readonly days = new Set<string>();

  constructor(private readonly options: ArchiveFolderOptions) {}

  /** Makes the folder, and an archive of it though nothing may ever be written. */
  async begin(): Promise<void> {
    const { folder } = this.options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await beginManifest(folder);
  }

  /**
   * Writes lines into a file of their own. Resolves when file and manifest would outlive a power
   * cut. `now`: milliseconds since 1970.
   */
  async write(lines: readonly ArchiveLine[], now: number): Promise<ManifestEntry> {
    const { folder, newName, writtenBy } = this.options;
    const writtenAt = new Date(now).toISOString();
    const day = writtenAt.slice(0, 10);
    const file = `${day}/${writtenAt.slice(11, 19).replaceAll(':', '')}-${newName()}.jsonl.gz`;
    const content = await compress(lines.map(({ text }) => `${text}\n`).join(''));
    await this.makeDay(day);
    const ends = lines.map(({ endedAt }) => endedAt);
    const entry: ManifestEntry = {
      v: 1,
      file,
      tasks: lines.length,
      bytes: content.length,
      sha256: hash('sha256', content, 'hex'),
      firstEnded: new Date(Math.min(...ends)).toISOString(),
      lastEnded: new Date(Math.max(...ends)).toISOString(),
      writtenAt,
      writtenBy,
    };
    try {
      await writeDurably(path.join(folder, file), content);
      await addEntry(folder, entry);
    } catch (error) {
      // The folder may have been taken away.
      this.days.clear();
      throw error;
    }
    return entry;
  }

  private async makeDay(day: string): Promise<void> {
    if (this.days.has(day)) return;
    const { folder } = this.options;
    await mkdir(path.join(folder, day), { recursive: true, mode: 0o700 });
    // Where it cannot be written, each try would leave a file without an entry.
    await beginManifest(folder);
    await syncFolder(folder);
    this.days.clear();
    this.days.add(day);
  }
}

/** Replaces a file durably. Only this user may read it: it tells what tasks did. */
async function writeDurably(target: string, content: Buffer): Promise<void> {
  const temporary = `${target}.part`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(target));
}

/** A new name is durable only with the folder that has it. Not every system can do so. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync();
  } catch (error) {
    if (!UNABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

const UNABLE = new Set(['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR']);

/** Characters of the lines of one file, but where one task has more: far fewer than a text may. */
const FILE_CHARACTERS = 67_108_864;

/** Writes tasks into files of a folder before they are removed. */
export class FileArchive implements TaskArchive {
  private readonly folder: ArchiveFolder;

  constructor(private readonly options: FileArchiveOptions) {
    this.folder = new ArchiveFolder(options);
  }

  async write(tasks: readonly Task[]): Promise<void> {
    let lines: ArchiveLine[] = [];
    let characters = 0;
    for (const task of tasks) {
      const text = JSON.stringify(archivedTask(task));
      if (lines.length > 0 && characters + text.length > FILE_CHARACTERS) {
        await this.folder.write(lines, this.options.clock.now());
        [lines, characters] = [[], 0];
      }
      lines.push({ text, endedAt: task.endedAt ?? task.plan.createdAt });
      characters += text.length;
    }
    if (lines.length > 0) await this.folder.write(lines, this.options.clock.now());
  }
}
