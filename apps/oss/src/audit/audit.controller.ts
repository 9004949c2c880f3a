import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryReader } from '#nest';
import type { AuditEntry } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

const LIMIT = 100;
const LIMIT_MAX = 1_000;

/** One page of the audit log. */
interface AuditPage {
  readonly items: readonly (Omit<AuditEntry, 'at'> & { readonly at: string })[];
  readonly page: { readonly nextCursor: string | null };
}

/** Shows the audit log. Nothing changes it but what is written down. */
@Controller('v1/audit')
export class AuditController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** The newest entries first, or the oldest. */
  @Get()
  async list(@Query() query: unknown): Promise<AuditPage> {
    const reader = new QueryReader(query).expectOnly(['first', 'limit', 'cursor']);
    const first = reader.value('first', readFirst, '`newest` or `oldest`') ?? 'newest';
    const limit =
      reader.value('limit', readLimit, `a whole number from 1 to ${LIMIT_MAX}`) ?? LIMIT;
    const beyond = reader.value('cursor', readCursor, '`page.nextCursor` of the page before');
    reader.finish();
    const order = { first, limit, ...(beyond !== undefined && { beyond }) };
    const entries = await this.options.audit.readEntries(order);
    const last = entries.at(-1);
    const nextCursor = entries.length < limit || last === undefined ? null : `${last.seq}`;
    const items = Array.from(entries, (entry) => {
      return { ...entry, at: new Date(entry.at).toISOString() };
    });
    return { items, page: { nextCursor } };
  }
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
