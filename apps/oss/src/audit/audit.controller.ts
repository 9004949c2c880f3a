import { Controller, Inject } from '@nestjs/common';
import { type AuditEntry, isUnreadableEntry, type LoggedEntry, type UnreadableEntry } from '#ports';
import { RequestWork } from '../access/request-work.js';
import { type AccessParts, OSS_OPTIONS } from '../options.js';
import { searchEntries } from './search-entries.js';
import { AUDIT_ROUTES } from './audit.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** An entry, or its number and why it cannot be read. */
type AuditItem = UnreadableEntry | (Omit<AuditEntry, 'at'> & { readonly at: string });

/** One page of the audit log. */
type AuditPage = Shown<'AuditPage'>;

/** Shows the audit log. Nothing changes it but what is written down. */
@Controller()
export class AuditController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: AccessParts,
    private readonly work: RequestWork,
  ) {}

  /** The newest entries first, or the oldest. */
  @Handles(AUDIT_ROUTES.listAudit)
  async list({ query, request }: Asked<typeof AUDIT_ROUTES.listAudit>): Promise<AuditPage> {
    const { createdAfter, createdBefore, cursor: beyond, ...rest } = query;
    const { first, limit, ...texts } = rest;
    const filter = { ...texts, after: createdAfter, before: createdBefore };
    const order = { first, limit, ...(beyond !== undefined && { beyond }) };
    const { beyond: next, entries } = await this.work.run(request, 'read', (signal) => {
      return searchEntries(this.options.audit, filter, { ...order, signal });
    });
    const nextCursor = next === null ? null : `${next}`;
    return { items: Array.from(entries, itemOf), page: { nextCursor } };
  }

  /** The end of the log as it is now, signed; null: there is no key for that, or no entry. */
  @Handles(AUDIT_ROUTES.getAuditHead)
  async head(): Promise<Shown<'AuditHeadAnswer'>> {
    return { head: (await this.options.heads?.sign()) ?? null };
  }
}

function itemOf(entry: LoggedEntry): AuditItem {
  return isUnreadableEntry(entry) ? entry : { ...entry, at: new Date(entry.at).toISOString() };
}
