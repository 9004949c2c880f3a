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
  readonly #bytesMax: number;
  #isHeld = false;

  constructor(db: Database, pages: number) {
    this.#db = db;
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#bytesMax = pages * Number(db.value('PRAGMA page_size'));
    // The file is cut to this size where the log begins again, so that it tells of what is in it.
    db.value(`PRAGMA journal_size_limit = ${this.#bytesMax}`);
  }

  /** Whether enough was written, by the size of the log's file. */
  isDue(bytes: number): boolean {
    return !this.#isHeld && bytes > this.#bytesMax;
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

  /** Moves the pages. Returns whether none is left in the log. */
  run(): boolean {
    const row = this.#checkpoint.row([]);
    const isAll = row?.[MOVED] === row?.[LOGGED];
    // The next write begins the log again.
    if (isAll) moveMark(this.#db);
    return isAll;
  }
}
