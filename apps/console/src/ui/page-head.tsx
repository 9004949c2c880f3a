import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { WORDS } from '../words.js';
import { withoutOddLetters } from './odd-letters.js';

interface PageHeadProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** The one heading of a page, which names the window too. */
export function PageHead({ title, children }: PageHeadProps): JSX.Element {
  useEffect(() => {
    document.title = `${withoutOddLetters(title)} · ${WORDS.product}`;
  }, [title]);
  return (
    <div class="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </div>
  );
}
