import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { SignedHead } from '#access';
import { expectNoParameters } from '#http-server';
import { type AuditEntry, isUnreadableEntry, type LoggedEntry, type UnreadableEntry } from '#ports';
import { RequestWork } from '../access/request-work.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { AUDIT_QUERY } from './audit.query.js';
import { searchEntries } from './search-entries.js';

/** An entry, or its number and why it cannot be read. */
type AuditItem = UnreadableEntry | (Omit<AuditEntry, 'at'> & { readonly at: string });

/** One page of the audit log. */
interface AuditPage {
  readonly items: readonly AuditItem[];
  readonly page: { readonly nextCursor: string | null };
}

/** Shows the audit log. Nothing changes it but what is written down. */
@Controller('v1/audit')
export class AuditController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly work: RequestWork,
  ) {}

  /** The newest entries first, or the oldest. */
  @Get()
  async list(@Query() query: unknown, @Req() request: FastifyRequest): Promise<AuditPage> {
    const { createdAfter, createdBefore, cursor: beyond, ...rest } = AUDIT_QUERY.read(query);
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
  @Get('head')
  async head(@Query() query: unknown): Promise<{ readonly head: SignedHead | null }> {
    expectNoParameters(query);
    return { head: (await this.options.heads?.sign()) ?? null };
  }
}

function itemOf(entry: LoggedEntry): AuditItem {
  return isUnreadableEntry(entry) ? entry : { ...entry, at: new Date(entry.at).toISOString() };
}
