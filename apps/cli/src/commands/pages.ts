import { CliError, EXIT } from '../exit.js';
import { type Call, textOption } from '../tree/call.js';
import { readNumber } from './parameters.js';

/** One page of a list, as the server answers. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: { readonly nextCursor: string | null };
}

/** The query for one page: most items of it, and where the page before ended. */
export interface PageQuery {
  readonly limit: string;
  readonly cursor?: string;
}

/** Asks for one page. */
type AskPage<Item> = (query: PageQuery) => Promise<Page<Item>>;

/** How many items are read. */
interface PageLimits {
  /** In all; Infinity, which is the default: all there are. */
  readonly wanted?: number;
  /** Most that the server gives at a time. Default: 200. */
  readonly pageMax?: number;
}

const PAGE_MAX = 200;

/** Items that `--limit` and `--all` ask for. Throws a `CliError` for a limit below 1. */
export function wantedItems(call: Call, fallback: number): number {
  const limit = readNumber(textOption(call, 'limit'), '--limit') ?? fallback;
  if (limit < 1) throw new CliError(EXIT.usage, '--limit must be at least 1');
  return call.options['all'] === true ? Infinity : limit;
}

/** The pages of a list, one after the other, until there are as many items as are wanted. */
export async function* pagesOf<Item>(
  ask: AskPage<Item>,
  { pageMax = PAGE_MAX, wanted = Infinity }: PageLimits = {},
): AsyncGenerator<readonly Item[]> {
  let left = wanted;
  let cursor: string | null = null;
  do {
    const limit = `${Math.min(left, pageMax)}`;
    const { items, page }: Page<Item> = await ask({ limit, ...(cursor !== null && { cursor }) });
    yield items;
    left -= items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && left > 0);
}

/** The items of all these pages. */
export async function itemsOf<Item>(
  ask: AskPage<Item>,
  limits: PageLimits = {},
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const items of pagesOf(ask, limits)) found.push(...items);
  return found;
}
