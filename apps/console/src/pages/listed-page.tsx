import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Page } from '../api/client.js';
import { ask, type Asked } from '../api/exchange.js';
import type { HttpRoutes } from '../../../../schemas/http-api.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePaced } from '../ui/polled.js';
import { WORDS } from '../words.js';

/** Names of lists, as they stand in the path. */
type Listed = keyof typeof WORDS.pages &
  ('executors' | 'locks' | 'notifications' | 'operations' | 'schedules');

type ItemOf<Name extends Listed> = HttpRoutes[`GET /v1/${Name}`]['answer']['items'][number];

interface ListedPageProps<Name extends Listed> {
  readonly name: Name;
  /** Most items that are asked for. Default: as many as a page has by itself. */
  readonly limit?: number;
  /** The text above the list that says what the page is about. */
  readonly about?: string;
  /** The text shown while the list is empty. */
  readonly none?: string;
  /** How often it is asked for, in milliseconds. Default: 5,000. */
  readonly everyMs?: number;
  /** Adds to the list; stands beside the heading. */
  readonly action?: ComponentChildren;
  /** Stands above the list. */
  readonly children?: ComponentChildren;
  /** Stands below the list, and comes with it: before, it would have to move. */
  readonly below?: ComponentChildren;
  /** Shows the items; there is one at least. */
  readonly show: (items: readonly ItemOf<Name>[]) => JSX.Element;
}

const EVERY_MS = 5_000;

/** A list of the interface as a page that is looked at again and again. */
export function ListedPage<Name extends Listed>(props: ListedPageProps<Name>): JSX.Element {
  const { about, action, below, children, everyMs = EVERY_MS, limit, name, none, show } = props;
  const [pages, setPages] = useState(1);
  const look = (signal: AbortSignal): Promise<Shown<Name>> =>
    readPages({ name, limit, pages }, signal);
  const { isAway, refusal, value } = usePaced(name, look, { everyMs, wish: pages });
  return (
    <>
      <PageHead title={WORDS.pages[name]}>{action}</PageHead>
      {about !== undefined && <p class="faint about">{about}</p>}
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {children}
      {value === null && !refusal && <LoadingRows label={WORDS.pages[name]} />}
      {value?.items.length === 0 && <p class="empty">{none ?? WORDS.none}</p>}
      {value !== null && value.items.length > 0 && show(value.items)}
      {value?.hasMore && (
        <div class="list-end">
          <button type="button" onClick={() => setPages(pages + 1)}>
            {WORDS.tasks.more}
          </button>
        </div>
      )}
      {(value !== null || refusal) && below}
    </>
  );
}

/** The shown part of a list. */
interface Shown<Name extends Listed> {
  readonly items: readonly ItemOf<Name>[];
  readonly hasMore: boolean;
}

interface Wanted<Name extends Listed> {
  readonly name: Name;
  /** Of a page; undefined: as many as one has by itself. */
  readonly limit: number | undefined;
  readonly pages: number;
}

/** The first pages of a list, at most this many. */
async function readPages<Name extends Listed>(
  { limit, name, pages }: Wanted<Name>,
  signal: AbortSignal,
): Promise<Shown<Name>> {
  const items: ItemOf<Name>[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pages && (page === 0 || cursor !== null); page += 1) {
    const query = { ...(limit !== undefined && { limit }), ...(cursor !== null && { cursor }) };
    const asked = { query, signal } as Asked<`GET /v1/${Name}`>;
    const answer: Page<ItemOf<Name>> = await ask(`GET /v1/${name}`, asked);
    items.push(...answer.items);
    cursor = answer.page.nextCursor;
  }
  return { items, hasMore: cursor !== null };
}
