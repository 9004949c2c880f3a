import type { JSX } from 'preact';
import { Moment } from '../ui/moment.js';
import { WORDS } from '../words.js';
import { drafts } from './drafts.js';

/** Texts that were typed in this browser and not published. */
export function DraftList(): JSX.Element | null {
  const all = drafts();
  if (all.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="drafts-title">
      <h2 id="drafts-title">{WORDS.flows.drafts}</h2>
      <ul class="versions">
        {all.map(({ at, name }) => (
          <li key={name}>
            <a href={editorAddress(name)}>{name === '' ? WORDS.flows.draftUnnamed : name}</a>{' '}
            <span class="faint">
              <Moment at={Math.floor(at / 1_000)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function editorAddress(name: string): string {
  return name === '' ? '/console/new-flow' : `/console/flows/${encodeURIComponent(name)}/edit`;
}
