import { createHash } from 'node:crypto';
import { isUnreadableEntry } from '#ports';
import type { AuditEntry, AuditFact, LoggedEntry } from '#ports';

/** The end of a log, as far as its entries can be read. */
export interface ChainEnd {
  /** Number of the newest entry. */
  readonly seq: number;
  /** The last hash that can be read; empty: none can. */
  readonly hash: string;
  /** Number of the entry of that hash, where it is not the newest; 0: there is none. */
  readonly hashSeq?: number;
}

/** The entry that comes after the end of a log; null: the first one. */
export function chained(fact: AuditFact, end: ChainEnd | null): AuditEntry {
  const { seq, prev } = { seq: (end?.seq ?? 0) + 1, prev: end?.hash ?? '' };
  const { actor, at, keyId, operation, reason, requestId, status, target } = fact;
  const said = { seq, at, actor, keyId, operation, target, status, reason, requestId, prev };
  const whole = end?.hashSeq === undefined ? said : { ...said, prevSeq: end.hashSeq };
  return { ...whole, hash: hashOfEntry(whole) };
}

/** The hash that an entry must have. */
export function hashOfEntry(entry: Omit<AuditEntry, 'hash'>): string {
  const { actor, at, keyId, operation, prev, prevSeq, reason } = entry;
  const { requestId, seq, status, target } = entry;
  // In this order for ever: the texts of entries may be laid out anew, and their hashes stay.
  const said = [seq, at, actor, keyId, operation, target, status, reason, requestId, prev];
  const content = prevSeq === undefined ? said : [...said, prevSeq];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** A fault in a chain. */
interface AuditFault {
  /** The entry at which it shows. */
  readonly seq: number;
  readonly fault:
    'changed' | 'missing' | 'out of order' | 'not the one that was there' | 'unreadable';
}

/** The hashes that are kept while a chain is checked. */
const KEPT_MAX = 10_000;

/** Entries that follow one another. */
export interface EntryRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Checks a chain entry by entry, from the first one on; it need not be in memory as a whole.
 *
 * An entry that follows on unreadable ones is chained over the last hash that could be read then,
 * and says whose that is (`prevSeq`). So it proves nothing about those between: whoever mends one
 * of them may write what they like. Such entries are `unvouched` for ever, and the chain is sound
 * all the same: it would be of no use as an alarm if one accident set it off for good.
 */
export class ChainCheck {
  /** The last entry that was right, or could not be read: then its hash may be unknown. */
  last: (Pick<AuditEntry, 'seq'> & { readonly hash: string | null }) | null = null;
  /** Entries of which no later one holds the hash: they may have been changed with their own. */
  readonly unvouched: EntryRange[] = [];
  /** Hashes of the latest entries by their numbers; null: it could not be read. */
  readonly #hashes = new Map<number, string | null>([[0, '']]);

  /**
   * Takes the next entry; what is wrong with it, or null. Behind one that is unreadable the chain
   * can be checked further, and behind any other fault it cannot.
   */
  take(entry: LoggedEntry): AuditFault | null {
    const { seq } = entry;
    const expected = (this.last?.seq ?? 0) + 1;
    if (seq > expected) return { seq: expected, fault: 'missing' };
    if (seq < expected) return { seq, fault: 'out of order' };
    if (isUnreadableEntry(entry)) {
      this.#pass(seq, entry.hash ?? null);
      return { seq, fault: 'unreadable' };
    }
    const { hash, prev, prevSeq = seq - 1 } = entry;
    if (hashOfEntry(entry) !== hash || prevSeq >= seq) return { seq, fault: 'changed' };
    const before = this.#hashes.get(prevSeq);
    if (typeof before === 'string' && prev !== before) {
      return { seq: Math.max(1, prevSeq), fault: 'not the one that was there' };
    }
    const isKept = before !== undefined;
    if (prevSeq < seq - 1) this.unvouched.push({ from: prevSeq + (isKept ? 1 : 0), to: seq - 1 });
    this.#pass(seq, hash);
    return null;
  }

  #pass(seq: number, hash: string | null): void {
    this.last = { seq, hash };
    this.#hashes.set(seq, hash);
    // The beginning stays: it is what the first entry of all is chained to.
    if (seq > KEPT_MAX) this.#hashes.delete(seq - KEPT_MAX);
  }
}
