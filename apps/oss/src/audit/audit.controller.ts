import { Controller, Inject } from '@nestjs/common';
import {
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  isUnreadableEntry,
  type LoggedEntry,
  type UnreadableEntry,
} from '#ports';
import { RequestWork } from '../access/request-work.js';
import { type AccessParts, OSS_OPTIONS } from '../options.js';
import { AUDIT_ROUTES } from './audit.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** An entry, or its number and why it cannot be read. */
type AuditItem = UnreadableEntry | (Omit<AuditEntry, 'at'> & { readonly at: string });

/** One page of the audit log. */
type AuditPage = Shown<'AuditPage'>;

/** Entries that one request looks at: the log grows without end, and is kept by number alone. */
const LOOKED_MAX = 20_000;

const PAGE = 1_000;

/** Clocks of processes that write entries differ by so much at most, in milliseconds. */
const CLOCKS_MS = 3_600_000;

/** Members of entries that can be searched, and the texts that must occur in them. */
type SearchedTexts = Partial<Record<'actor' | 'operation' | 'target', string | undefined>>;

/** Entries that are wanted. */
interface AuditFilter extends SearchedTexts {
  /** Milliseconds since 1970, inclusive. */
  readonly after?: number | undefined;
  /** Milliseconds since 1970, exclusive. */
  readonly before?: number | undefined;
}

/** Entries that were found. */
interface FoundEntries {
  readonly entries: readonly LoggedEntry[];
  /** The entry beyond which the search goes on; null: there are no more. */
  readonly beyond: number | null;
}

type Searched = readonly [member: keyof SearchedTexts, text: string];

/** The filter as entries are compared with it. */
interface Wanted {
  readonly texts: readonly Searched[];
  readonly after: number;
  readonly before: number;
}

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

/**
 * Reads entries in which every text of the filter occurs, whatever its case. In an entry that
 * cannot be read no text occurs. Once `signal` is aborted, no more are read.
 */
export async function searchEntries(
  log: Pick<AuditLog, 'readEntries'>,
  filter: AuditFilter,
  { signal, ...query }: AuditQuery & { readonly signal?: AbortSignal },
): Promise<FoundEntries> {
  const { first, limit } = query;
  const { after = -Infinity, before = Infinity, ...members } = filter;
  const texts = Object.entries(members).flatMap(([name, text]): readonly Searched[] => {
    return text === undefined ? [] : [[name as keyof SearchedTexts, text.toLowerCase()]];
  });
  const wanted = { texts, after, before };
  const size = isAll(wanted) ? limit : PAGE;
  const found: LoggedEntry[] = [];
  let from: AuditQuery = query;
  for (let looked = 0; looked < LOOKED_MAX; looked += size) {
    const page = await log.readEntries({ ...from, limit: size });
    for (const entry of page) {
      if (fits(entry, wanted)) {
        found.push(entry);
        if (found.length === limit) return { entries: found, beyond: entry.seq };
      }
    }
    const last = page.at(-1);
    if (page.length < size || last === undefined || isPast(last, wanted, first))
      return { entries: found, beyond: null };
    from = { ...from, beyond: last.seq };
    if (signal?.aborted === true) break;
  }
  return { entries: found, beyond: from.beyond ?? null };
}

function isAll({ after, before, texts }: Wanted): boolean {
  return texts.length === 0 && after === -Infinity && before === Infinity;
}

/** Whether no entry beyond this one can be of the time that is wanted. */
function isPast(
  entry: LoggedEntry,
  { after, before }: Wanted,
  first: AuditQuery['first'],
): boolean {
  if (isUnreadableEntry(entry)) return false;
  return first === 'newest' ? entry.at < after - CLOCKS_MS : entry.at > before + CLOCKS_MS;
}

function fits(entry: LoggedEntry, wanted: Wanted): boolean {
  const { after, before, texts } = wanted;
  if (isUnreadableEntry(entry)) return isAll(wanted);
  if (entry.at < after || entry.at >= before) return false;
  return texts.every(([member, text]) => entry[member].toLowerCase().includes(text));
}
