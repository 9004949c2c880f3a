import { createPublicKey, type KeyObject } from 'node:crypto';
import { isUnreadableEntry, timeOfRemovals } from '#ports';
import type { AuditAnchor, AuditEntry, AuditLog, Clock, LoggedEntry, Observer } from '#ports';
import { ChainCheck, type ChainStart } from './audit-chain.js';
import { findRemoval } from './audit-removal.js';
import { isAnchorSigned, signAnchor } from './audit-signature.js';
import type { AuditTrail } from './audit-trail.js';

/** Entries that one round removes at most. */
const ROUND_ENTRIES = 1_000;

/** The operation of entries about a removal. */
const OPERATION = 'REMOVE /v1/audit';

/** The parts that the retention of an audit log works with. */
interface AuditRetentionParts {
  readonly log: Pick<AuditLog, 'readEntries' | 'removeEntries'>;
  /** Writes to the same log. */
  readonly trail: Pick<AuditTrail, 'add'>;
  /** An Ed25519 private key; null: nobody signs what is removed. */
  readonly key: KeyObject | null;
  /** Rejects where the log does not go on behind the heads that were signed. Default: never. */
  readonly expectHeads?: () => Promise<void>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly observer: Pick<Observer, 'noticed'>;
  /** How long entries are kept, in milliseconds. */
  readonly keptMs: number;
}

/**
 * Removes the oldest entries of an audit log, in rounds. An entry of its own says beforehand up to
 * where, which is what tells a removal from a cut. So entries are removed only where they are a
 * sound chain, with an end that an earlier removal told of, and go on behind every head that was
 * signed: else it would hide a forgery.
 * Any number of processes may do so at once.
 */
export class AuditRetention {
  /** The furthest removal that the log is known to tell of. */
  private toldSeq = 0;
  /** Entries up to this one were removed, and no signature of this key said so. */
  private unsigned = 0;
  private isFailing = false;
  private total = 0;
  private lastRoundAt: number | null = null;
  private oldest: number | null = null;

  private readonly now: () => number;

  constructor(private readonly parts: AuditRetentionParts) {
    this.now = timeOfRemovals(parts.clock);
  }

  /** How many entries this process has removed. */
  get removed(): number {
    return this.total;
  }

  /** When the last round ended that went well, milliseconds since 1970; null: none has. */
  get roundEndedAt(): number | null {
    return this.lastRoundAt;
  }

  /**
   * When the oldest entry was written that the last round left and could read, milliseconds since
   * 1970; null: there is none, or no round has gone well.
   */
  get oldestAt(): number | null {
    return this.oldest;
  }

  /**
   * One round: resolves to whether there may be more to remove at once. Never rejects: what fails
   * is noticed once, and done again in the next round.
   */
  async tick(): Promise<boolean> {
    try {
      const removed = await this.round();
      this.isFailing = false;
      return removed === ROUND_ENTRIES;
    } catch (error) {
      this.tell(error);
      return false;
    }
  }

  /** Returns how many entries it removed. */
  private async round(): Promise<number> {
    const { expectHeads, keptMs, log } = this.parts;
    const entries = await log.readEntries({ first: 'oldest', limit: ROUND_ENTRIES + 1 });
    const check = new ChainCheck();
    const old = oldOf(entries, { check, before: this.now() - keptMs });
    const last = old.at(-1);
    // Entries about removals alone would only be replaced by others.
    if (last === undefined || old.every(({ anchor }) => anchor !== undefined)) {
      this.endRound(entries);
      return 0;
    }
    await this.expectTold(check.start);
    await expectHeads?.();
    if (!(await this.announce(last))) return 0;
    this.toldSeq = last.seq;
    const removed = await log.removeEntries(last.seq);
    this.total += removed;
    this.endRound(entries.filter(({ seq }) => seq > last.seq));
    const message = `retention removed ${removed} entries of the audit log, up to ${last.seq}`;
    this.parts.observer.noticed({ level: 'info', name: 'audit_removed', message });
    return removed;
  }

  /** `left`: the oldest entries that there are now. */
  private endRound(left: readonly LoggedEntry[]): void {
    this.lastRoundAt = this.parts.clock.now();
    const oldest = left.find((entry) => !isUnreadableEntry(entry));
    this.oldest = oldest === undefined || isUnreadableEntry(oldest) ? null : oldest.at;
  }

  /** Before it is done: what stops halfway is told of all the same. */
  private announce({ hash, seq }: AuditEntry): Promise<boolean> {
    const { clock, key, keptMs: kept, trail } = this.parts;
    const { unsigned } = this;
    const at = clock.now();
    const anchor: AuditAnchor = { seq, hash, ...(unsigned > 0 && { unsigned }), kept };
    return trail.add({
      at,
      actor: 'backstep',
      keyId: null,
      operation: OPERATION,
      target: '/v1/audit',
      status: 200,
      reason: `retention of the audit log, up to entry ${seq}`,
      requestId: `retention-${seq}`,
      anchor: key === null ? anchor : signAnchor(anchor, at, key),
    });
  }

  /** Throws where entries in front of the oldest one are gone, and the log does not say why. */
  private async expectTold(start: ChainStart): Promise<void> {
    if (start.seq <= this.toldSeq) return;
    const { key, log } = this.parts;
    const told = await findRemoval(log, start);
    if (told === null) throw new Error('entry 1 is missing');
    this.toldSeq = start.seq;
    if (key === null) return;
    const isSigned = isAnchorSigned(told, [createPublicKey(key)]);
    this.unsigned = isSigned ? (told.anchor?.unsigned ?? 0) : start.seq;
    if (!isSigned) this.tellUnsigned();
  }

  /** It may have been before there was a key. Later removals must not hide it. */
  private tellUnsigned(): void {
    const message =
      `entries up to ${this.unsigned} of the audit log were removed ` +
      'without a signature of this key';
    this.parts.observer.noticed({ level: 'warn', name: 'audit_unsigned', message });
  }

  private tell(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const message = 'retention cannot remove entries of the audit log now, and tries again';
    this.parts.observer.noticed({ level: 'warn', name: 'audit_retention_failed', message, error });
  }
}

/**
 * The readable entries that are old enough, up to one whose hash the next entry holds: so what is
 * kept goes on from what was removed. Throws where the chain is not sound.
 */
function oldOf(
  entries: readonly LoggedEntry[],
  { before, check }: { readonly check: ChainCheck; readonly before: number },
): readonly AuditEntry[] {
  const old: AuditEntry[] = [];
  let linked = 0;
  for (const entry of entries) {
    const wrong = check.take(entry);
    if (wrong !== null && wrong.fault !== 'unreadable') {
      throw new Error(`entry ${wrong.seq} is ${wrong.fault}`);
    }
    if (isUnreadableEntry(entry)) continue;
    if (old.at(-1)?.seq === entry.seq - 1 && entry.prevSeq === undefined) linked = old.length;
    if (entry.at >= before) break;
    old.push(entry);
  }
  return old.slice(0, linked);
}
