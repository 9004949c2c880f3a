import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { SignedHead } from '#access';
import { QueryReader } from '#http-server';
import { type AuditEntry, isUnreadableEntry, type LoggedEntry, type UnreadableEntry } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { type AuditFilter, searchEntries } from './search-entries.js';

const LIMIT = 100;
const LIMIT_MAX = 1_000;
const TEXT_MAX = 200;
const FILTERS = ['actor', 'operation', 'target'] as const;

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
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** The newest entries first, or the oldest. */
  @Get()
  async list(@Query() query: unknown): Promise<AuditPage> {
    const reader = new QueryReader(query).expectOnly(['first', 'limit', 'cursor', ...FILTERS]);
    const first = reader.value('first', readFirst, '`newest` or `oldest`') ?? 'newest';
    const limit =
      reader.value('limit', readLimit, `a whole number from 1 to ${LIMIT_MAX}`) ?? LIMIT;
    const beyond = reader.value('cursor', readCursor, '`page.nextCursor` of the page before');
    const filter = readFilter(reader);
    reader.finish();
    const order = { first, limit, ...(beyond !== undefined && { beyond }) };
    const { beyond: next, entries } = await searchEntries(this.options.audit, filter, order);
    const nextCursor = next === null ? null : `${next}`;
    return { items: Array.from(entries, itemOf), page: { nextCursor } };
  }

  /** The end of the log as it is now, signed; null: there is no key for that, or no entry. */
  @Get('head')
  async head(@Query() query: unknown): Promise<{ readonly head: SignedHead | null }> {
    new QueryReader(query).expectOnly([]).finish();
    return { head: (await this.options.heads?.sign()) ?? null };
  }
}

function itemOf(entry: LoggedEntry): AuditItem {
  return isUnreadableEntry(entry) ? entry : { ...entry, at: new Date(entry.at).toISOString() };
}

function readFilter(reader: QueryReader): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of FILTERS) {
    const text = reader.value(name, readSearched, `a text of 1 to ${TEXT_MAX} characters`);
    if (text !== undefined) filter[name] = text;
  }
  return filter;
}

function readSearched(text: string): string | null {
  return text.length >= 1 && text.length <= TEXT_MAX ? text : null;
}

function readFirst(text: string): 'newest' | 'oldest' | null {
  return text === 'newest' || text === 'oldest' ? text : null;
}

function readLimit(text: string): number | null {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= LIMIT_MAX ? limit : null;
}

function readCursor(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
