import type { ComponentChildren, JSX } from 'preact';
import { api } from '../api/client.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';

interface ListedPageProps<Item> {
  readonly name: keyof typeof WORDS.pages;
  /** The query of the request for the list. */
  readonly query?: string;
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
  /** Shows the items; there is one at least. */
  readonly show: (items: readonly Item[]) => JSX.Element;
}

const EVERY_MS = 5_000;

/** A list of the interface as a page that is looked at again and again. */
export function ListedPage<Item>(props: ListedPageProps<Item>): JSX.Element {
  const { about, action, children, everyMs = EVERY_MS, name, none, query, show } = props;
  const path = query === undefined ? `/v1/${name}` : `/v1/${name}?${query}`;
  const ask = async (signal: AbortSignal): Promise<readonly Item[]> => {
    return (await api.collection(path, signal)).items as readonly Item[];
  };
  const { isAway, refusal, value } = usePolled(path, ask, everyMs);
  return (
    <>
      <PageHead title={WORDS.pages[name]}>{action}</PageHead>
      {about !== undefined && <p class="faint about">{about}</p>}
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {children}
      {value === null && !refusal && <LoadingRows label={WORDS.pages[name]} />}
      {value?.length === 0 && <p class="empty">{none ?? WORDS.none}</p>}
      {value !== null && value.length > 0 && show(value)}
    </>
  );
}

interface HeadProps {
  readonly columns: readonly string[];
}

/** The titles of a table's columns. */
export function Head({ columns }: HeadProps): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}
