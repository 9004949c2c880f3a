import type { JSX } from 'preact';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';

/** An address that is none of the console's. */
export function LostPage(): JSX.Element {
  return (
    <>
      <PageHead title={WORDS.lost} />
      <p>
        <a href="/console/">{WORDS.pages.overview}</a>
      </p>
    </>
  );
}
