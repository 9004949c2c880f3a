import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reapFolder } from './reaper.js';
import type { ServerName, ServerOptions } from './server.js';

/** The folder of one server: `data` is what a wipe deletes, the rest is settings and logs. */
export class ServerFolder {
  private constructor(
    readonly path: string,
    readonly kept: boolean,
  ) {}

  /** The folder that was asked for, or a temporary one. */
  static async open(name: ServerName, { folder }: ServerOptions): Promise<ServerFolder> {
    if (folder !== undefined) {
      await mkdir(folder, { recursive: true });
      return new ServerFolder(path.resolve(folder), true);
    }
    const made = await mkdtemp(path.join(tmpdir(), `backstep-${name}-`));
    reapFolder(made);
    return new ServerFolder(made, false);
  }

  get data(): string {
    return path.join(this.path, 'data');
  }

  get isEmpty(): boolean {
    return !existsSync(this.data);
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  wipe(): Promise<void> {
    return removeFolder(this.data);
  }

  /** Removes a temporary folder and leaves one that was asked for. */
  async discard(): Promise<void> {
    if (!this.kept) await removeFolder(this.path);
  }
}

/** A killed server can still be creating files for a moment, hence the retries. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
