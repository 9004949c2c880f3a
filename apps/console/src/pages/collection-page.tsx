import type { JSX } from 'preact';
import { api, isOffered } from '../api/client.js';
import type { Json, JsonObject } from '../api/shapes.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';

interface CollectionPageProps {
  readonly name: 'audit' | 'executors' | 'locks' | 'operations' | 'schedules';
}

const EVERY_MS = 5_000;

/** A list that not every server has; where it is missing, the page says so. */
export function CollectionPage({ name }: CollectionPageProps): JSX.Element {
  const path = `/v1/${name}`;
  const ask = async (signal: AbortSignal): Promise<readonly JsonObject[] | 'missing'> => {
    if (!(await isOffered(path, signal))) return 'missing';
    return (await api.collection(path, signal)).items;
  };
  const { isAway, refusal, value } = usePolled(path, ask, EVERY_MS);
  return (
    <>
      <PageHead title={WORDS.pages[name]} />
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {value === 'missing' && <NotOffered path={path} />}
      {value !== null && value !== 'missing' && <Items items={value} label={WORDS.pages[name]} />}
    </>
  );
}

function NotOffered({ path }: { readonly path: string }): JSX.Element {
  return (
    <div class="empty">
      <p>{WORDS.offered.not}</p>
      <p>
        {WORDS.offered.why} <code>{path}</code>.
      </p>
    </div>
  );
}

interface ItemsProps {
  readonly items: readonly JsonObject[];
  readonly label: string;
}

function Items({ items, label }: ItemsProps): JSX.Element {
  if (items.length === 0) return <p class="empty">{WORDS.offered.none}</p>;
  const members = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return (
    <table class="rows any-values" aria-label={label}>
      <thead>
        <tr>
          {members.map((member) => (
            <th key={member} scope="col">
              {member}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => (
          <tr key={index}>
            {members.map((member) => (
              <td key={member}>{textOf(item[member])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}
