import type { Task } from '#core';
import { archivedTask } from '#core/stored';
import type { Clock, TaskArchive } from '#ports';
import { ArchiveFolder, type ArchiveFolderOptions } from './archive-folder.js';

/** How an archive is written. */
interface FileArchiveOptions extends ArchiveFolderOptions {
  /** Names days. */
  readonly clock: Pick<Clock, 'now'>;
}

/** Writes tasks into files of a folder before they are removed. */
export class FileArchive implements TaskArchive {
  private readonly folder: ArchiveFolder;

  constructor(private readonly options: FileArchiveOptions) {
    this.folder = new ArchiveFolder(options);
  }

  async write(tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    const lines = tasks.map((task) => {
      const text = JSON.stringify(archivedTask(task));
      return { text, endedAt: task.endedAt ?? task.plan.createdAt };
    });
    await this.folder.write(lines, this.options.clock.now());
  }
}
