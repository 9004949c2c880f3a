import type { Page } from '../api/client.js';
import type { AuditItem } from '../api/shapes.js';

/** Entries that a list shows, the newest first. */
export interface ShownEntries {
  readonly items: readonly AuditItem[];
  /** Where the page after these begins; null: there is none. */
  readonly cursor: string | null;
}

/**
 * The list with a newer first page. Where so much happened that entries between the two were not
 * seen, it begins anew: a list with a gap would hide them.
 */
export function withTop(before: ShownEntries | null, top: Page<AuditItem>): ShownEntries {
  const anew = { items: top.items, cursor: top.page.nextCursor };
  const newest = before?.items[0]?.seq;
  if (before === null || newest === undefined) return anew;
  const news = top.items.filter(({ seq }) => seq > newest);
  const isGap = news.length === top.items.length && top.page.nextCursor !== null;
  return isGap ? anew : { ...before, items: [...news, ...before.items] };
}

/** The list with the page that follows it. */
export function withMore(before: ShownEntries, { items, page }: Page<AuditItem>): ShownEntries {
  return { items: [...before.items, ...items], cursor: page.nextCursor };
}
