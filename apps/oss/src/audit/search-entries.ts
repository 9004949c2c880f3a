import { type AuditLog, type AuditQuery, isUnreadableEntry, type LoggedEntry } from '#ports';

/** Entries that one request looks at: the log grows without end, and is kept by number alone. */
const LOOKED_MAX = 20_000;
const PAGE = 1_000;

/** Members of entries that can be searched, and the texts that must occur in them. */
type AuditFilter = Partial<Record<'actor' | 'operation' | 'target', string | undefined>>;

/** Entries that were found. */
interface FoundEntries {
  readonly entries: readonly LoggedEntry[];
  /** The entry beyond which the search goes on; null: there are no more. */
  readonly beyond: number | null;
}

type Searched = readonly [member: keyof AuditFilter, text: string];

/**
 * Reads entries in which every text of the filter occurs, whatever its case. In an entry that
 * cannot be read no text occurs. Once `signal` is aborted, no more are read.
 */
export async function searchEntries(
  log: Pick<AuditLog, 'readEntries'>,
  filter: AuditFilter,
  { signal, ...query }: AuditQuery & { readonly signal?: AbortSignal },
): Promise<FoundEntries> {
  const { limit } = query;
  const texts = Object.entries(filter).flatMap(([name, text]): readonly Searched[] => {
    return text === undefined ? [] : [[name as keyof AuditFilter, text.toLowerCase()]];
  });
  const size = texts.length === 0 ? limit : PAGE;
  const found: LoggedEntry[] = [];
  let from: AuditQuery = query;
  for (let looked = 0; looked < LOOKED_MAX; looked += size) {
    const page = await log.readEntries({ ...from, limit: size });
    for (const entry of page) {
      if (fits(entry, texts)) {
        found.push(entry);
        if (found.length === limit) return { entries: found, beyond: entry.seq };
      }
    }
    const last = page.at(-1);
    if (page.length < size || last === undefined) return { entries: found, beyond: null };
    from = { ...from, beyond: last.seq };
    if (signal?.aborted === true) break;
  }
  return { entries: found, beyond: from.beyond ?? null };
}

function fits(entry: LoggedEntry, texts: readonly Searched[]): boolean {
  if (isUnreadableEntry(entry)) return texts.length === 0;
  return texts.every(([member, text]) => entry[member].toLowerCase().includes(text));
}
