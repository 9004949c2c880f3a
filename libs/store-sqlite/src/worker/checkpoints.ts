import type { Database, Statement } from './database.js';
import { moveMark } from './log-mark.js';

/** Columns of the answer: pages that the log had, and those of them that are in the file now. */
const LOGGED = 1;
const MOVED = 2;

/**
 * Decides when the pages of the log move into the database file. Rarely, because a writer waits
 * meanwhile; and never so late that the log grows without end.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #checkpoint: Statement;
  readonly #pages: number;
  #writes = 0;
  #writesMax: number;
  #isHeld = false;

  constructor(db: Database, pages: number) {
    this.#db = db;
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#pages = pages;
    // Until the first checkpoint tells better, a write is taken to change as many pages as a lone
    // one does.
    this.#writesMax = pages / 8;
  }

  /** Whether enough was written. */
  isDue(writes: number): boolean {
    this.#writes += writes;
    return !this.#isHeld && this.#writes >= this.#writesMax;
  }

  /**
   * Moves all pages, and moves no more until the release: the database file stays as it is now,
   * whatever is written. Throws where pages stayed in the log.
   */
  hold(): void {
    if (!this.run()) throw new Error('its log could not be moved into it');
    this.#isHeld = true;
  }

  /** Pages may move again. */
  release(): void {
    this.#isHeld = false;
  }

  /**
   * Moves the pages, and learns from their number when to do it next. Returns whether none is
   * left in the log.
   */
  run(): boolean {
    const row = this.#checkpoint.row([]);
    const pages = Number(row?.[LOGGED] ?? 0);
    const isAll = Number(row?.[MOVED]) === pages;
    // The next write begins the log again.
    if (isAll) moveMark(this.#db);
    const pagesPerWrite = Math.max(pages, 1) / Math.max(this.#writes, 1);
    this.#writesMax = this.#pages / pagesPerWrite;
    this.#writes = 0;
    return isAll;
  }
}
