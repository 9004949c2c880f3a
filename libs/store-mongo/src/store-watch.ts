import { MongoServerError } from 'mongodb';
import { type Clock, type Observer, StoreDamaged, StoreUnavailable, type Timer } from '#ports';
import type { DatabaseLook, Harm } from './database-look.js';
import { within } from './deadline.js';
import type { Secret } from './secret.js';

const RESTART = 'Restart a process of the set, which makes it again; no task is taken until then.';
const RESTORE = 'Stop the processes of the set, restore the database, and start them again.';

/** The dependencies of the watch. */
interface WatchParts {
  readonly clock: Clock;
  readonly look: Pick<DatabaseLook, 'harm'>;
  readonly observer: Pick<Observer, 'noticed'>;
  /** How often the database is looked at, in milliseconds. */
  readonly everyMs: number;
  /** Longest wait for a look, in milliseconds. */
  readonly ms: number;
  readonly secret: Pick<Secret, 'mask'>;
}

/** There is no server that takes writes now: one is elected, or too few are left. */
const NO_PRIMARY: ReadonlySet<unknown> = new Set([
  91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

const AUTHENTICATION_FAILED = 18;
const OUT_OF_DISK_SPACE = 14_031;

/**
 * Looks at the database all the time: whether it is the one that the process opened, with all that
 * belongs to it, and takes what is written. A server that does not answer says nothing about that.
 */
export class StoreWatch {
  private timer: Timer | undefined;
  private isStopped = false;
  private found: { readonly harm: Harm; readonly error: StoreDamaged } | null = null;
  /** The server answers, and refuses what is written. */
  private refusal: { readonly code: string; readonly error: StoreUnavailable } | null = null;

  constructor(private readonly parts: WatchParts) {
    this.wait();
  }

  /** Why nothing can be read or written; null: it can. */
  get harm(): StoreDamaged | null {
    return this.found?.harm.isWhole === false ? this.found.error : null;
  }

  /** Throws while something is missing, even if it is only an index. */
  expectWhole(): void {
    if (this.found !== null) throw this.found.error;
  }

  /** Throws as `expectWhole` does, and while the server refuses what is written. */
  expectWritable(): void {
    this.expectWhole();
    if (this.refusal !== null) throw this.refusal.error;
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  private wait(): void {
    if (this.isStopped) return;
    const { clock, everyMs } = this.parts;
    this.timer = clock.after(everyMs, () => {
      void this.look().finally(() => this.wait());
    });
  }

  private async look(): Promise<void> {
    const { clock, look, ms } = this.parts;
    try {
      this.note(await within(() => look.harm(), { clock, ms }));
      this.noteRefusal(null);
    } catch (error) {
      // Calls of the store tell of a server that does not answer.
      if (error instanceof MongoServerError) this.noteRefusal(error);
    }
  }

  /** Reads and pings may go well all the time. The message may have figures, so the code counts. */
  private noteRefusal(cause: MongoServerError | null): void {
    const before = this.refusal;
    this.refusal = cause && { code: String(cause.code), error: this.refusalOf(cause) };
    if (this.isStopped || this.refusal?.code === before?.code) return;
    if (this.refusal !== null) this.tell('error', 'store_refuses', this.refusal.error.message);
    else this.tell('info', 'store_writable', 'MongoDB takes what is written again.');
  }

  private refusalOf(error: MongoServerError): StoreUnavailable {
    const { secret } = this.parts;
    const what = `MongoDB refuses what is written: ${secret.mask(error.message)}`;
    return new StoreUnavailable(`${what.replace(/\.$/, '')}. ${remedyFor(error)}`);
  }

  private note(harm: Harm | null): void {
    const before = this.found?.harm.what;
    if (this.isStopped || harm?.what === before) return;
    this.found = harm === null ? null : { harm, error: this.errorOf(harm) };
    if (this.found !== null) this.tell('error', 'store_damaged', this.found.error.message);
    else this.tell('info', 'store_whole', 'The database of the store is whole again.');
  }

  private tell(level: 'error' | 'info', name: string, message: string): void {
    this.parts.observer.noticed({ level, name, message });
  }

  private errorOf({ isWhole, remedy = isWhole ? RESTART : RESTORE, what }: Harm): StoreDamaged {
    return new StoreDamaged(
      `The database of the store is damaged: ${this.parts.secret.mask(what)}. ${remedy}`,
    );
  }
}

/** The remedy for an error by which a server refuses writes, as sentences for people. */
function remedyFor({ code }: Pick<MongoServerError, 'code'>): string {
  return `${remedyOf(code)} Nothing is lost, and the processes go on by themselves.`;
}

function remedyOf(code: unknown): string {
  if (NO_PRIMARY.has(code)) return 'The replica set has no primary now: see rs.status().';
  if (code === OUT_OF_DISK_SPACE) return 'Make room on its disk.';
  if (code === AUTHENTICATION_FAILED) return 'Give its user the password of BACKSTEP_STORE again.';
  return 'See the log of MongoDB.';
}
