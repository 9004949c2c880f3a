import type { JSX } from 'preact';
import type { Json, JsonObject } from '../api/shapes.js';
import { WORDS } from '../words.js';
import { Head, ListedPage } from './listed-page.js';

interface CollectionPageProps {
  readonly name: 'operations';
}

/** A list of whatever a server has of this name, as it tells it. */
export function CollectionPage({ name }: CollectionPageProps): JSX.Element {
  return <ListedPage<JsonObject> name={name} show={(items) => itemTable(items, name)} />;
}

function itemTable(items: readonly JsonObject[], name: CollectionPageProps['name']): JSX.Element {
  const members = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return (
    <table class="rows any-values" aria-label={WORDS.pages[name]}>
      <Head columns={members} />
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
