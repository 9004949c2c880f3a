import { OBJECT } from '#core/json';
import { RecordUnreadable } from './errors.js';
import { SHA_256 } from './record-kind.js';

/** The entry up to which retention removes entries, as the log itself says. */
export interface AuditAnchor {
  readonly seq: number;
  readonly hash: string;
  /**
   * Entries up to this one were removed before, and no signature of this key said so; absent: there
   * are none, or nobody signs.
   */
  readonly unsigned?: number;
  /** How long entries are kept, in milliseconds; absent: nobody said so. */
  readonly kept?: number;
  /** Ed25519 over the rest and the moment of its entry, in base64; absent: nobody signs. */
  readonly signature?: string;
}

/** Something that a person did, or was refused. */
export interface AuditFact {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The caller of the request. */
  readonly actor: string;
  /** Of the API key; null: nobody was asked for one. */
  readonly keyId: string | null;
  /** The operation, as the OpenAPI document writes it: `POST /v1/tasks/{taskId}:rollback`. */
  readonly operation: string;
  /** The address that was asked for, without its query. */
  readonly target: string;
  /** HTTP status of the answer: from 400 on it was refused. */
  readonly status: number;
  /** Why, as far as the request said it; null: it did not. */
  readonly reason: string | null;
  readonly requestId: string;
  /** Of an entry about the removal of old ones: the last of these. */
  readonly anchor?: AuditAnchor;
}

/** An entry of the audit log. Its hash is over everything else of it, so entries form a chain. */
export interface AuditEntry extends AuditFact {
  /** 1 and up, without gaps; entries at the beginning may have been removed. */
  readonly seq: number;
  /** Hash of the entry before, or of the one that `prevSeq` names; empty: there is none. */
  readonly prev: string;
  /**
   * Number of the entry that `prev` is the hash of, where that is not the one before; 0: of none.
   * Those between had no hash that could be read when this one was written.
   */
  readonly prevSeq?: number;
  readonly hash: string;
}

/** In the place of an entry that cannot be read: its number, and the member that is wrong. */
export interface UnreadableEntry {
  readonly seq: number;
  readonly unreadable: string;
  /** The hash that is stored with it; absent: that cannot be read, either. */
  readonly hash?: string;
}

/** An entry of the log, or the number of one that cannot be read. */
export type LoggedEntry = AuditEntry | UnreadableEntry;

/** Which entries to read. */
export interface AuditQuery {
  /** Beyond this one; absent: from the end of the log that comes first. */
  readonly beyond?: number;
  /** `oldest` first, or `newest`. */
  readonly first: 'oldest' | 'newest';
  /** 1 to 1,000. */
  readonly limit: number;
}

/**
 * Where the audit log is kept. Entries are added at its end, removed at its beginning and never
 * changed. Every method may throw `StoreUnavailable`, which says nothing about whether a write took
 * effect.
 */
export interface AuditLog {
  /**
   * Adds entries whose numbers follow on the newest one, durably. Returns how many were added, the
   * first of them: fewer than given where another process has added entries meanwhile.
   */
  appendEntries(entries: readonly AuditEntry[]): Promise<number>;
  /** Entries in order of their numbers, also those that cannot be read. */
  readEntries(query: AuditQuery): Promise<readonly LoggedEntry[]>;
  /**
   * Removes entries from the oldest one on, up to this number, durably, and never the newest one:
   * numbers go on behind it. One that stops halfway has removed the older ones. Returns how many.
   */
  removeEntries(upTo: number): Promise<number>;
}

/** Whether an entry could not be read. */
export function isUnreadableEntry(entry: LoggedEntry): entry is UnreadableEntry {
  return 'unreadable' in entry;
}

/**
 * The entry of this number as the log gives it, or the reason why it cannot be read. `stored` is
 * what is under the number, of which the hash may be readable alone.
 */
export function loggedEntry(
  seq: number,
  found: AuditEntry | RecordUnreadable,
  stored: () => unknown,
): LoggedEntry {
  if (!(found instanceof RecordUnreadable)) return found;
  const content = stored();
  const { hash } = (OBJECT.holds(content) ? content : {}) as { readonly hash?: unknown };
  const known = SHA_256.holds(hash) ? { hash: hash as string } : {};
  return { seq, unreadable: found.reason, ...known };
}
