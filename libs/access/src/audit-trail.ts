import type { AuditEntry, AuditFact, AuditLog, Observer } from '#ports';
import { chained, type ChainEnd } from './audit-chain.js';

/** Options of a trail. */
interface AuditTrailOptions {
  readonly log: AuditLog;
  readonly observer: Pick<Observer, 'noticed'>;
}

/** Entries of one write. */
const BATCH_MAX = 100;
/** Facts that wait; more of them are told as notices only. */
const WAITING_MAX = 10_000;
/** Entries of one read, where the newest one has no hash that can be read. */
const LOOK_BACK = 1_000;
/** Times that other processes may be first before a fact is given up. */
const RACES_MAX = 50;

interface Waiting {
  readonly fact: AuditFact;
  readonly settle: (isWritten: boolean) => void;
}

/**
 * Writes the audit log of this process: one write at a time, and with each all facts that have come
 * in since the last one. Other processes write to the same chain.
 */
export class AuditTrail {
  private readonly waiting: Waiting[] = [];
  private newest: ChainEnd | null | undefined;
  private isWriting = false;

  constructor(private readonly options: AuditTrailOptions) {}

  /**
   * Resolves when the fact is written, or when it is known that it may not be, which is then
   * noticed: to whether it is. Never rejects.
   */
  add(fact: AuditFact): Promise<boolean> {
    if (this.waiting.length >= WAITING_MAX) {
      this.tellLost(1, new Error('too many entries wait to be written'));
      return Promise.resolve(false);
    }
    return new Promise((settle) => {
      this.waiting.push({ fact, settle });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_MAX);
      const isWritten = await this.isWritten(batch.map(({ fact }) => fact));
      for (const { settle } of batch) settle(isWritten);
    }
    this.isWriting = false;
  }

  private async isWritten(facts: readonly AuditFact[]): Promise<boolean> {
    try {
      await this.write(facts);
      return true;
    } catch (error) {
      // Whether it was written is not known, so what the newest entry is is not, either.
      this.newest = undefined;
      this.tellLost(facts.length, error);
      return false;
    }
  }

  private async write(facts: readonly AuditFact[]): Promise<void> {
    const { log } = this.options;
    let rest = facts;
    for (let race = 0; race < RACES_MAX; race += 1) {
      const newest = this.newest === undefined ? await this.readEnd() : this.newest;
      const entries = chainOf(rest, newest);
      const added = await log.appendEntries(entries);
      if (added === entries.length) {
        this.newest = entries.at(-1) ?? newest;
        return;
      }
      this.newest = undefined;
      rest = rest.slice(added);
    }
    throw new Error('other processes were always first');
  }

  /**
   * Of entries that cannot be read the hash often can: the log goes on with that, as if the entry
   * were whole. Where it cannot, either, the log goes on with the last one that can.
   */
  private async readEnd(): Promise<ChainEnd | null> {
    const { log } = this.options;
    const [newest] = await log.readEntries({ first: 'newest', limit: 1 });
    if (newest === undefined) return null;
    const { seq } = newest;
    if (newest.hash !== undefined) return { seq, hash: newest.hash };
    let beyond = seq;
    for (;;) {
      const before = await log.readEntries({ first: 'newest', beyond, limit: LOOK_BACK });
      const known = before.find(({ hash }) => hash !== undefined);
      if (known?.hash !== undefined) return { seq, hash: known.hash, hashSeq: known.seq };
      if (before.length < LOOK_BACK) return { seq, hash: '', hashSeq: 0 };
      beyond = before.at(-1)!.seq;
    }
  }

  private tellLost(count: number, error: unknown): void {
    const message = `${count} entries of the audit log may not have been written`;
    this.options.observer.noticed({ level: 'error', name: 'audit_failed', message, error });
  }
}

function chainOf(facts: readonly AuditFact[], newest: ChainEnd | null): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const fact of facts) entries.push(chained(fact, entries.at(-1) ?? newest));
  return entries;
}
