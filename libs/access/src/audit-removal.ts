import { type AuditEntry, type AuditLog, isUnreadableEntry } from '#ports';
import { type ChainStart, tellsOf } from './audit-chain.js';
import type { SignedHead } from './audit-signature.js';

/** Entries of one read. */
const PAGE = 1_000;

/**
 * How much later than the entry behind it a head may have been signed, at most, in milliseconds:
 * that one has the moment of its request, and is written when this has ended.
 */
const LATE_MAX_MS = 60_000;

/** The entry that tells of the removal of all in front of a start, the latest; null: none does. */
export async function findRemoval(
  log: Pick<AuditLog, 'readEntries'>,
  start: ChainStart,
): Promise<AuditEntry | null> {
  let beyond: number | undefined;
  for (;;) {
    const query = { first: 'newest', limit: PAGE } as const;
    const page = await log.readEntries(beyond === undefined ? query : { ...query, beyond });
    const readable = page.flatMap((entry) => (isUnreadableEntry(entry) ? [] : [entry]));
    const told = readable.find((entry) => tellsOf(entry, start));
    if (told !== undefined) return told;
    if (page.length < PAGE) return null;
    beyond = page.at(-1)!.seq;
  }
}

/** A removal, as an entry tells of it. */
interface Removal {
  /** Number of the last removed entry. */
  readonly seq: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** How long entries were kept, in milliseconds; null or absent: it does not tell. */
  readonly kept?: number | null | undefined;
}

/**
 * Whether the entry of a head was removed before it was old enough. An entry is signed as the end
 * only while there is none behind it, and the one behind it was old as well if it was removed with
 * it. So a head that is younger means that entries were dated back. The last removed entry may have
 * been the end for long: it is known by its hash.
 */
export function isRemovedTooEarly({ at, seq }: SignedHead, removal: Removal): boolean {
  const { kept } = removal;
  if (kept === undefined || kept === null || seq >= removal.seq) return false;
  return Date.parse(at) > removal.at - kept + Math.min(LATE_MAX_MS, kept / 2);
}
