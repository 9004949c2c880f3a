import { createHash } from 'node:crypto';
import type { AuditEntry, AuditFact } from '#ports';

/** The entry that comes after another one; null: the first one. */
export function chained(
  fact: AuditFact,
  before: Pick<AuditEntry, 'hash' | 'seq'> | null,
): AuditEntry {
  const { seq, prev } = { seq: (before?.seq ?? 0) + 1, prev: before?.hash ?? '' };
  const { actor, at, keyId, operation, reason, requestId, status, target } = fact;
  const whole = { seq, at, actor, keyId, operation, target, status, reason, requestId, prev };
  return { ...whole, hash: hashOfEntry(whole) };
}

/** The hash that an entry must have. */
export function hashOfEntry(entry: Omit<AuditEntry, 'hash'>): string {
  const { actor, at, keyId, operation, prev, reason, requestId, seq, status, target } = entry;
  // In this order for ever: the texts of entries may be laid out anew, and their hashes stay.
  const content = [seq, at, actor, keyId, operation, target, status, reason, requestId, prev];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** A fault in a chain. */
interface AuditFault {
  /** The entry at which it shows. */
  readonly seq: number;
  readonly fault: 'changed' | 'missing' | 'out of order' | 'not the one that was there';
}

/** Checks a chain entry by entry, from the first one on; it need not be in memory as a whole. */
export class ChainCheck {
  /** The last entry that was right. */
  last: Pick<AuditEntry, 'hash' | 'seq'> | null = null;

  /** Takes the next entry; what is wrong with it, or null. */
  take(entry: AuditEntry): AuditFault | null {
    const expected = (this.last?.seq ?? 0) + 1;
    if (entry.seq > expected) return { seq: expected, fault: 'missing' };
    if (entry.seq < expected) return { seq: entry.seq, fault: 'out of order' };
    if (hashOfEntry(entry) !== entry.hash) return { seq: entry.seq, fault: 'changed' };
    if (entry.prev !== (this.last?.hash ?? '')) {
      return { seq: Math.max(1, entry.seq - 1), fault: 'not the one that was there' };
    }
    this.last = entry;
    return null;
  }
}
