/** Something that somebody did, or was refused. */
export interface AuditFact {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whose request it was. */
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
}

/** An entry of the audit log. Its hash is over everything else of it, so entries form a chain. */
export interface AuditEntry extends AuditFact {
  /** 1 and up, without gaps. */
  readonly seq: number;
  /** Hash of the entry before; empty for the first one. */
  readonly prev: string;
  readonly hash: string;
}

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
 * Where the audit log is kept. Entries are added at its end and never changed. Every method may
 * throw `StoreUnavailable`, which says nothing about whether a write took effect.
 */
export interface AuditLog {
  /**
   * Adds entries whose numbers follow on the newest one, durably. Returns how many were added, the
   * first of them: fewer than given where another process has added entries meanwhile.
   */
  appendEntries(entries: readonly AuditEntry[]): Promise<number>;
  /** Entries in order of their numbers. */
  readEntries(query: AuditQuery): Promise<readonly AuditEntry[]>;
}
