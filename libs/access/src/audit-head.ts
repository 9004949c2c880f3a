import { createPublicKey, type KeyObject } from 'node:crypto';
import { type AuditLog, type Clock, isUnreadableEntry } from '#ports';
import type { LoggedEntry, Observer } from '#ports';
import { startBefore } from './audit-chain.js';
import { findRemoval, isRemovedTooEarly } from './audit-removal.js';
import { isAnchorSigned, type SignedHead, signHead } from './audit-signature.js';

/** Where the last head is while its gateway does not run. */
export interface HeadShelf {
  /** The location, as people know it. */
  readonly name: string;
  /** Null: there is none. */
  load(): SignedHead | null;
  save(head: SignedHead): void;
}

/** The parts that heads are made with. */
interface AuditHeadsParts {
  readonly log: Pick<AuditLog, 'readEntries'>;
  /** An Ed25519 private key. */
  readonly key: KeyObject;
  readonly clock: Pick<Clock, 'now'>;
  readonly observer: Pick<Observer, 'noticed'>;
  /** Takes a head to where a writer of the store cannot change it. */
  readonly keep: (head: SignedHead) => void;
  /** Default: a restart forgets the last head. */
  readonly shelf?: HeadShelf;
}

/** Signs the end of an audit log again and again, and looks whether it still goes on from there. */
export class AuditHeads {
  /** The head that was kept last; null: none was. */
  private kept: SignedHead | null;
  /** The damage to the log behind a head that was kept; null: there is none. */
  private cut: string | null = null;

  constructor(private readonly parts: AuditHeadsParts) {
    this.kept = parts.shelf?.load() ?? null;
  }

  /**
   * Signs the end as it is now; null: there are no entries, or the hash of the newest one cannot be
   * read. Throws `StoreUnavailable`.
   */
  async sign(): Promise<SignedHead | null> {
    const { clock, key, log } = this.parts;
    // Before it is read: what is written meanwhile is younger than the head.
    const at = new Date(clock.now()).toISOString();
    const [newest] = await log.readEntries({ first: 'newest', limit: 1 });
    if (newest?.hash === undefined) return null;
    const { hash, seq } = newest;
    return signHead({ seq, hash, at }, key);
  }

  /** One round: keeps a head where the log has another end than before. */
  async tick(): Promise<void> {
    await this.expectKept();
    const head = await this.sign();
    if (head === null || (head.seq === this.kept?.seq && head.hash === this.kept.hash)) return;
    this.kept = head;
    this.parts.keep(head);
    // A head behind which the log was cut stays until a person has seen it.
    if (this.cut === null) this.parts.shelf?.save(head);
  }

  /**
   * Throws where the log does not go on behind a head, of this process or, where there is a shelf,
   * of one before it: until a person clears the shelf. Throws `StoreUnavailable`.
   */
  async expectSound(): Promise<void> {
    await this.expectKept();
    if (this.cut === null) return this.expectReadable();
    const { shelf } = this.parts;
    const cure = shelf === undefined ? '' : `: it stands still while ${shelf.name} is there`;
    throw new Error(this.cut + cure);
  }

  /** An entry that cannot be read says nothing about those in front of it. */
  private async expectReadable(): Promise<void> {
    const { kept } = this;
    if (kept === null) return;
    const query = { first: 'oldest', beyond: kept.seq - 1, limit: 1 } as const;
    const [found] = await this.parts.log.readEntries(query);
    if (found !== undefined && isUnreadableEntry(found)) {
      throw new Error(`entry ${found.seq} is unreadable, and nothing vouches for those before it`);
    }
  }

  /** A log goes on behind each of its heads. Said once of each: the next one is of what is left. */
  private async expectKept(): Promise<void> {
    const { kept } = this;
    if (kept === null) return;
    const what = await this.faultBehind(kept);
    if (what === null || this.kept !== kept) return;
    this.kept = null;
    const message = `entry ${kept.seq} of the audit log ${what} since it was signed at ${kept.at}`;
    this.cut ??= message;
    this.parts.observer.noticed({ level: 'error', name: 'audit_cut', message });
  }

  private async faultBehind(kept: SignedHead): Promise<string | null> {
    const { log } = this.parts;
    const [found] = await log.readEntries({ first: 'oldest', beyond: kept.seq - 1, limit: 1 });
    if (found === undefined) return 'is missing';
    // Without a hash it cannot be read, which is noticed as such.
    if (found.seq === kept.seq && (found.hash ?? kept.hash) !== kept.hash) return 'has changed';
    return found.seq === kept.seq ? null : this.faultOfRemoval(kept);
  }

  private async faultOfRemoval(kept: SignedHead): Promise<string | null> {
    const { key, log } = this.parts;
    const [oldest] = await log.readEntries({ first: 'oldest', limit: 1 });
    const start = startBefore(oldest as LoggedEntry);
    const removal = start.seq < kept.seq ? null : await findRemoval(log, start);
    if (removal === null) return 'is missing';
    if (!isAnchorSigned(removal, [createPublicKey(key)])) {
      return 'was removed, and no entry signed with this key says so,';
    }
    if (start.seq === kept.seq && (start.hash ?? kept.hash) !== kept.hash) return 'has changed';
    const told = { seq: start.seq, at: removal.at, kept: removal.anchor?.kept };
    return isRemovedTooEarly(kept, told) ? 'was removed too early' : null;
  }
}
