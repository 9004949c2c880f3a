import { execFile } from 'node:child_process';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { reapMount } from '../servers/reaper.js';
import { waitUntil } from '../servers/wait-until.js';

const run = promisify(execFile);
const SIZE = 1024 ** 3;
/** More than is written between looking and shrinking. */
const MARGIN = 512 * 1024;
const TRIES_MS = 60_000;

/** A disk that is full when it is told to be (tmpfs). Needs the right to mount. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** Mounts it; undefined where this process may not. */
  static async mount(folder: string): Promise<SmallDisk | undefined> {
    await mkdir(folder, { recursive: true });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', folder]);
    } catch {
      return undefined;
    }
    reapMount(folder);
    return new SmallDisk(folder);
  }

  /** Leaves room for so little that a process that goes on writing uses it up at once. */
  async fill(): Promise<void> {
    const shrink = async (): Promise<void> => {
      const { bfree, blocks, bsize } = await statfs(this.folder);
      await this.#resize((blocks - bfree) * bsize + MARGIN);
    };
    await waitUntil(shrink, { what: 'the disk cannot be made full', deadlineMs: TRIES_MS });
  }

  /** Makes room again. */
  async free(): Promise<void> {
    await this.#resize(SIZE);
  }

  async unmount(): Promise<void> {
    await run('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #resize(bytes: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${bytes}`, this.folder]);
  }
}
