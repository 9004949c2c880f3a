import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, StoreBackup, TakenCopy } from '#ports';
import { copyFiles } from './copy-files.js';
import { type KeptPlaces, SideFiles, STORE_NAME } from './side-files.js';

/** In the folder of side files; a process that was killed may leave it. */
const FOLDER = 'backup.part';

/** The part of a store that is needed. */
interface Holder {
  hold(): Promise<void>;
  release(): Promise<void>;
}

/** The parts of a backup. */
interface BackupParts {
  readonly clock: Clock;
  readonly places: KeptPlaces;
  /** Keeps the file of the store as it is, for as long as it is copied. */
  readonly store: Holder;
}

/**
 * Copies the store of a process, with all that belongs to it, while the process works.
 *
 * All files are of one turn of the event loop: in it the side files are locked, and the store
 * gets the order to move all that it was sent before into its file. No effect is in a side file
 * that was committed later than that turn, so no task of the copy knows less than its marks do.
 * While files are copied, the store takes writes into its log alone, and writes to side files
 * wait.
 */
export class SqliteBackup implements StoreBackup {
  constructor(private readonly parts: BackupParts) {}

  /** Removes what a process that was killed has left. */
  async dropLeftover(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async take(): Promise<TakenCopy> {
    const folder = this.#folder;
    const drop = (): Promise<void> => this.dropLeftover();
    await drop();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await this.#copyInto(folder);
      return { folder, drop };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async #copyInto(folder: string): Promise<void> {
    const { clock, places, store } = this.parts;
    const side = new SideFiles(places);
    try {
      try {
        // In an object: the order is to be sent in this turn, and waited for later.
        const { held } = await side.lock(clock, () => ({ held: store.hold() }));
        await held;
        await copyFiles(side.orderInto(folder));
      } finally {
        side.close();
      }
      await copyFiles({ files: [[places.file, path.join(folder, STORE_NAME)]], folders: [] });
    } finally {
      // Also after a hold that failed: it may be on all the same, and the log would grow for ever.
      // Where the store was closed meanwhile, its log went into the file: the copy is no good.
      await store.release();
    }
  }

  get #folder(): string {
    return path.join(this.parts.places.data, FOLDER);
  }
}
