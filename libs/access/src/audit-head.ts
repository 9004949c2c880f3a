import type { KeyObject } from 'node:crypto';
import type { AuditLog, Clock, Observer } from '#ports';
import { type SignedHead, signHead } from './audit-signature.js';

/** The parts that heads are made with. */
interface AuditHeadsParts {
  readonly log: Pick<AuditLog, 'readEntries'>;
  /** An Ed25519 private key. */
  readonly key: KeyObject;
  readonly clock: Pick<Clock, 'now'>;
  readonly observer: Pick<Observer, 'noticed'>;
  /** Takes a head to where whoever can write to the store does not get at it. */
  readonly keep: (head: SignedHead) => void;
}

/** Signs the end of an audit log again and again, and looks whether it still goes on from there. */
export class AuditHeads {
  /** The head that was kept last; null: none was. */
  private kept: SignedHead | null = null;

  constructor(private readonly parts: AuditHeadsParts) {}

  /**
   * Signs the end as it is now; null: there are no entries, or the hash of the newest one cannot be
   * read. Throws `StoreUnavailable`.
   */
  async sign(): Promise<SignedHead | null> {
    const { clock, key, log } = this.parts;
    const [newest] = await log.readEntries({ first: 'newest', limit: 1 });
    if (newest?.hash === undefined) return null;
    const { hash, seq } = newest;
    return signHead({ seq, hash, at: new Date(clock.now()).toISOString() }, key);
  }

  /** One round: keeps a head where the log has another end than before. */
  async tick(): Promise<void> {
    await this.expectKept();
    const head = await this.sign();
    if (head === null || (head.seq === this.kept?.seq && head.hash === this.kept.hash)) return;
    this.kept = head;
    this.parts.keep(head);
  }

  /** A log goes on behind each of its heads. Said once of each: the next one is of what is left. */
  private async expectKept(): Promise<void> {
    const { kept } = this;
    if (kept === null) return;
    const { log, observer } = this.parts;
    const [found] = await log.readEntries({ first: 'oldest', beyond: kept.seq - 1, limit: 1 });
    // Without a hash it cannot be read, which is noticed as such.
    const isThere =
      found !== undefined &&
      (found.seq !== kept.seq || found.hash === undefined || found.hash === kept.hash);
    if (isThere) return;
    this.kept = null;
    const what = found === undefined ? 'is missing' : 'has changed';
    const message = `entry ${kept.seq} of the audit log ${what} since it was signed at ${kept.at}`;
    observer.noticed({ level: 'error', name: 'audit_cut', message });
  }
}
