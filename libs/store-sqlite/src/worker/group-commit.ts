import type { Answer, Failure, Request, WriteRequest } from '../protocol.js';
import { failureOf, isWrite, type Answers } from './answers.js';
import { isDamage, RESTORE } from './soundness.js';
import { sqliteCode } from './database.js';
import type { OwnFile } from './own-file.js';

/** The database operations that the group commit needs. */
interface Transactions {
  readonly inTransaction: boolean;
  execute(sql: string): void;
}

/**
 * Codes after which the file's content on the disk is not known: only a fresh start reads it again.
 */
const SYNC_FAILED = /^SQLITE_IOERR_(FSYNC|DIR_FSYNC|TRUNCATE)$/;
/**
 * Codes of a single request that can never succeed; everything else is an outage, which may pass.
 */
const REQUEST_REFUSED = /^SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE)/;

/** The parts of a group commit. */
interface GroupParts {
  readonly answers: Pick<Answers, 'read' | 'write'>;
  readonly db: Transactions;
  readonly file: Pick<OwnFile, 'harm' | 'settleLog'>;
}

/**
 * Carries out batches of requests: all writes in one transaction and with one sync to the disk,
 * each with its own result; then the reads, which so see nothing that could still be undone.
 */
export class GroupCommit {
  readonly #answers: Pick<Answers, 'read' | 'write'>;
  readonly #db: Transactions;
  readonly #file: Pick<OwnFile, 'harm' | 'settleLog'>;
  /** Set for good once a sync has failed, or the file is damaged or no longer this process's. */
  #broken: Failure | null = null;
  /**
   * A write failed: reads and small writes may go well, but the store is not ready before the probe
   * goes well.
   */
  #failing = false;

  constructor({ answers, db, file }: GroupParts) {
    this.#answers = answers;
    this.#db = db;
    this.#file = file;
  }

  /** Answers each request, in their order. */
  run(requests: readonly Request[]): readonly Answer[] {
    const answers: Answer[] = Array.from({ length: requests.length });
    const writes = requests.flatMap((request, n) => (isWrite(request) ? [n] : []));
    const isLooking = writes.length > 0 || requests.some(isLook);
    if (isLooking) this.#expectOwnFile();
    this.#writeAll(requests, writes, answers);
    for (let n = 0; n < requests.length; n += 1) {
      const request = requests[n]!;
      if (!isWrite(request)) answers[n] = this.#read(request);
    }
    if (isLooking) this.#file.settleLog();
    return answers;
  }

  /**
   * Runs something that syncs the file; an error of the sync ends the service. Returns why it
   * failed; null: it went well.
   */
  guard(work: () => void): Failure | null {
    if (this.#broken !== null) return this.#broken;
    try {
      work();
      return null;
    } catch (error) {
      return this.#noteError(error);
    }
  }

  /** A batch that fails is done again one by one, so that a bad request harms no other. */
  #writeAll(requests: readonly Request[], writes: readonly number[], answers: Answer[]): void {
    if (writes.length === 0 || this.#write(requests, writes, answers)) return;
    if (writes.length === 1) return;
    for (const n of writes) this.#write(requests, [n], answers);
  }

  #write(requests: readonly Request[], writes: readonly number[], answers: Answer[]): boolean {
    if (this.#broken !== null) {
      for (const n of writes) answers[n] = this.#broken;
      return true;
    }
    try {
      this.#db.execute('BEGIN IMMEDIATE');
      for (const n of writes) answers[n] = this.#answers.write(requests[n] as WriteRequest);
      this.#db.execute('COMMIT');
      return true;
    } catch (error) {
      const failure = this.#noteError(error);
      for (const n of writes) answers[n] = failure;
      return !this.#rollBack();
    }
  }

  /** Whether the transaction is undone for certain. */
  #rollBack(): boolean {
    try {
      if (this.#db.inTransaction) this.#db.execute('ROLLBACK');
      return true;
    } catch (error) {
      const { message } = failureOf('unavailable', error);
      const failure = `A write cannot be undone; restart to go on: ${message}`;
      this.#broken ??= { failure: 'unavailable', message: failure };
      return false;
    }
  }

  #read(request: Exclude<Request, WriteRequest>): Answer {
    if (this.#broken !== null) return this.#broken;
    try {
      if (request[0] === 'ping' && this.#failing) this.#probe();
      return this.#answers.read(request);
    } catch (error) {
      return this.#noteError(error);
    }
  }

  /**
   * Writes something that means nothing: when that goes well again, so does everything else. SQLite
   * leaves pages alone that would stay as they are, so it is something new each time. A commit that
   * goes well proves nothing: on a full disk there is often room for a small one.
   */
  #probe(): void {
    try {
      this.#db.execute('UPDATE probe SET filling = randomblob(65536)');
      this.#failing = false;
    } finally {
      this.#rollBack();
    }
  }

  /** A file that was removed takes writes as before, and they end with the process. */
  #expectOwnFile(): void {
    if (this.#broken !== null) return;
    try {
      const harm = this.#file.harm();
      if (harm !== null) this.#giveUp(harm);
    } catch (error) {
      this.#noteError(error);
    }
  }

  #giveUp(harm: string): Failure {
    this.#broken = { failure: 'damaged', message: `The file of the store ${harm}. ${RESTORE}` };
    return this.#broken;
  }

  #noteError(error: unknown): Failure {
    const code = sqliteCode(error);
    if (REQUEST_REFUSED.test(code)) return failureOf('refused', error);
    this.#failing = true;
    const failure = failureOf('unavailable', error);
    if (isDamage(error)) return this.#giveUp(this.#file.harm() ?? `is damaged: ${failure.message}`);
    if (SYNC_FAILED.test(code)) {
      const message = `A sync to the disk has failed; restart to go on: ${failure.message}`;
      this.#broken = { failure: 'unavailable', message };
      return this.#broken;
    }
    const message = `The file of the store cannot be used now: ${failure.message}.`;
    return { failure: 'unavailable', message: `${message} ${remedyFor(code)}` };
  }
}

/** The remedy for an outage of the file, as sentences for people. */
function remedyFor(code: string): string {
  const [, remedy] = REMEDIES.find(([codes]) => codes.test(code)) ?? [];
  return `${remedy ?? 'See what is wrong with its disk.'} The process goes on by itself.`;
}

const REMEDIES: readonly (readonly [codes: RegExp, remedy: string])[] = [
  [/^SQLITE_FULL/, 'Make room on its disk.'],
  [/^SQLITE_(CANTOPEN|PERM|READONLY)/, 'Let this user write to the file and to its folder.'],
];

/** Whether a request comes steadily, however little happens. */
function isLook([kind]: Request): boolean {
  return kind === 'ping' || kind === 'findDue';
}
