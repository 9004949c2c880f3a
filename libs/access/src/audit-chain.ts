import { hash } from 'node:crypto';
import { isUnreadableEntry } from '#ports';
import type { AuditAnchor, AuditEntry, AuditFact, LoggedEntry } from '#ports';

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
  const { actor, anchor, at, keyId, operation, reason, requestId, status, target } = fact;
  const said = { seq, at, actor, keyId, operation, target, status, reason, requestId, prev };
  const whole = {
    ...said,
    ...(anchor !== undefined && { anchor }),
    ...(end?.hashSeq !== undefined && { prevSeq: end.hashSeq }),
  };
  return { ...whole, hash: hashOfEntry(whole) };
}

/** The hash that an entry must have. */
export function hashOfEntry(entry: Omit<AuditEntry, 'hash'>): string {
  const { actor, anchor, at, keyId, operation, prev, prevSeq, reason } = entry;
  const { requestId, seq, status, target } = entry;
  // In this order for ever: the texts of entries may be laid out again, and their hashes stay.
  const said = [seq, at, actor, keyId, operation, target, status, reason, requestId, prev];
  const more =
    anchor === undefined
      ? [prevSeq].filter((part) => part !== undefined)
      : [prevSeq ?? null, partsOf(anchor)];
  const content = [...said, ...more];
  return hash('sha256', JSON.stringify(content), 'hex');
}

function partsOf({ hash, kept, seq, signature, unsigned }: AuditAnchor): readonly unknown[] {
  const said = [seq, hash, unsigned ?? 0, signature ?? null];
  return kept === undefined ? said : [...said, kept];
}

/** A fault in a chain. */
interface AuditFault {
  /** The entry at which it shows. */
  readonly seq: number;
  readonly fault:
    | 'changed'
    | 'missing'
    | 'out of order'
    | 'not the one that was there'
    | 'unreadable';
}

/**
 * How far the moments of entries may fall along a chain, in milliseconds: clocks of gateways
 * differ, and entries wait while the store is away.
 */
const FALL_MAX_MS = 3_600_000;

/** The hashes that are kept while a chain is checked. */
const KEPT_MAX = 10_000;

/** Entries that follow one another. */
export interface EntryRange {
  readonly from: number;
  readonly to: number;
}

/** The position in a chain behind which entries are kept. */
export interface ChainStart {
  /** Number of the last removed entry. */
  readonly seq: number;
  /** Its hash, as the first entry that is kept says; null: that does not say it. */
  readonly hash: string | null;
}

/** The last removal of entries that a log tells of. */
interface ToldRemoval {
  /** Number of the last removed entry. */
  readonly seq: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Entries up to this one were removed without a signature; 0: none, as far as is known. */
  readonly unsigned: number;
  /** How long entries were kept, in milliseconds; null: it does not tell. */
  readonly kept: number | null;
}

/** Where a chain begins whose oldest entry is this one. */
export function startBefore(oldest: LoggedEntry): ChainStart {
  const seq = oldest.seq - 1;
  const isLinked = !isUnreadableEntry(oldest) && oldest.prevSeq === undefined;
  return { seq, hash: isLinked ? oldest.prev : null };
}

/** Whether what an entry says of removed ones tells of all that are in front of the start. */
export function tellsOf({ anchor, seq }: AuditEntry, start: ChainStart): boolean {
  if (anchor === undefined || anchor.seq < start.seq || anchor.seq >= seq) return false;
  return anchor.seq > start.seq || start.hash === null || anchor.hash === start.hash;
}

/**
 * Checks a chain entry by entry, from the oldest one on; it need not be in memory as a whole. Where
 * that is not the first one, a later entry must tell that those in front of it were removed:
 * `accepts` says whether to believe it.
 *
 * An entry that follows on unreadable ones is chained over the last hash that could be read then,
 * and says whose that is (`prevSeq`). So it proves nothing about those between: a person who mends
 * one of them may write what they like. Such entries are `unvouched` for ever, and the chain is
 * sound all the same: it would be of no use as an alarm if one accident set it off for good.
 */
export class ChainCheck {
  /** The last entry that was right, or could not be read: then its hash may be unknown. */
  last: (Pick<AuditEntry, 'seq'> & { readonly hash: string | null }) | null = null;
  /** Where it begins, once an entry was taken. */
  start: ChainStart = { seq: 0, hash: '' };
  /** The removal of all in front of that, as an entry tells of it; null: none has so far. */
  removal: ToldRemoval | null = null;
  /** Entries whose hash no later one holds: they may have been changed with their own. */
  readonly unvouched: EntryRange[] = [];
  /** Entries that are dated long before one in front of them: a wrong clock, or a lie. */
  readonly fallen: number[] = [];
  private newestAt = -Infinity;
  /** Hashes of the latest entries by their numbers; null: it could not be read. */
  readonly #hashes = new Map<number, string | null>([[0, '']]);
  readonly #accepts: (entry: AuditEntry) => boolean;

  constructor(accepts: (entry: AuditEntry) => boolean = () => true) {
    this.#accepts = accepts;
  }

  /**
   * Takes the next entry; what is wrong with it, or null. Behind one that is unreadable the chain
   * can be checked further, and behind any other fault it cannot.
   */
  take(entry: LoggedEntry): AuditFault | null {
    const { seq } = entry;
    if (this.last === null && seq > 1) this.#begin(entry);
    const expected = (this.last?.seq ?? this.start.seq) + 1;
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
    this.#addUnvouched(prevSeq + (before === undefined ? 0 : 1), seq - 1);
    if (tellsOf(entry, this.start) && this.#accepts(entry)) {
      const { anchor, at } = entry;
      const { kept = null, unsigned = 0 } = anchor ?? {};
      this.removal = { seq: this.start.seq, at, unsigned, kept };
    }
    if (entry.at < this.newestAt - FALL_MAX_MS) this.fallen.push(seq);
    this.newestAt = Math.max(this.newestAt, entry.at);
    this.#pass(seq, hash);
    return null;
  }

  /** To be asked behind the newest entry: what is wrong with the beginning, or null. */
  end(): AuditFault | null {
    const isWhole = this.start.seq === 0 || this.removal !== null;
    return isWhole ? null : { seq: 1, fault: 'missing' };
  }

  #begin(oldest: LoggedEntry): void {
    this.start = startBefore(oldest);
    this.#hashes.set(this.start.seq, this.start.hash);
  }

  /** Nobody asks whether something vouches for entries that are gone. */
  #addUnvouched(from: number, to: number): void {
    const kept = Math.max(from, this.start.seq + 1);
    if (kept <= to) this.unvouched.push({ from: kept, to });
  }

  #pass(seq: number, hash: string | null): void {
    this.last = { seq, hash };
    this.#hashes.set(seq, hash);
    // The beginning stays: it is what the first entry of all is chained to.
    if (seq > KEPT_MAX) this.#hashes.delete(seq - KEPT_MAX);
  }
}
