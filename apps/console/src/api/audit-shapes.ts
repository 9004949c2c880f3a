/** An entry of the audit log: an action that was done or refused. */
export interface AuditEntry {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly actor: string;
  readonly operation: string;
  readonly target: string;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly reason: string | null;
}

/** In the place of an entry that cannot be read. */
export interface UnreadableEntry {
  readonly seq: number;
  /** Why. */
  readonly unreadable: string;
}

/** An entry of the audit log, or the number of one that cannot be read. */
export type AuditItem = AuditEntry | UnreadableEntry;
