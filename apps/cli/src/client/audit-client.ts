import type { SignedHead } from '#access';
import type { AuditEntry, UnreadableEntry } from '#ports';
import { ask, type HttpOptions } from './http.js';

/** An entry of the audit log; its time in ISO 8601. */
export type AuditReport = Omit<AuditEntry, 'at'> & { readonly at: string };

/** An entry of the audit log, or the number of one that cannot be read, and why. */
export type AuditItem = AuditReport | UnreadableEntry;

/** One page of the audit log. */
interface AuditPage {
  readonly items: readonly AuditItem[];
  readonly page: { readonly nextCursor: string | null };
}

/** The requests about the audit log, typed. Every error is a `CliError`. */
export class AuditClient {
  constructor(private readonly options: HttpOptions) {}

  async list(query: Readonly<Record<string, string>>): Promise<AuditPage> {
    return ask({ path: `v1/audit?${new URLSearchParams(query).toString()}` }, this.options);
  }

  /** The end of the log, signed; null: nobody signs it, or it is empty. */
  async head(): Promise<SignedHead | null> {
    const { head } = await ask<{ readonly head: SignedHead | null }>(
      { path: 'v1/audit/head' },
      this.options,
    );
    return head;
  }
}
