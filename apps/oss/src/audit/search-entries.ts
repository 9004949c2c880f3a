import { type AuditLog, type AuditQuery, isUnreadableEntry, type LoggedEntry } from '#ports';

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
