import type { HttpApi } from '../../../../schemas/http-api.js';

/** An entry of the audit log: an action that was done or refused. */
export type AuditEntry = HttpApi['AuditEntry'];

/** In the place of an entry that cannot be read. */
export type UnreadableEntry = HttpApi['UnreadableEntry'];

/** An entry of the audit log, or the number of one that cannot be read. */
export type AuditItem = AuditEntry | UnreadableEntry;
