import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { WORDS } from '../words.js';

/** A longer text fills a row; its rest is shown when somebody asks for it. In characters. */
const LONG = 240;
const SHOWN = 200;

/** A text that somebody gave, however long, within a row or a line. Null: nothing. */
export function LongText({ text }: { readonly text: string | null }): JSX.Element | null {
  const [isWhole, show] = useState(false);
  if (text === null) return null;
  if (text.length <= LONG) return <bdi>{text}</bdi>;
  const { less, more } = WORDS.longText;
  return (
    <>
      <bdi>{isWhole ? text : beginningOf(text)}</bdi>{' '}
      <button type="button" class="link" aria-expanded={isWhole} onClick={() => show(!isWhole)}>
        {isWhole ? less : more}
      </button>
    </>
  );
}

/** The text, or so much of it as names something; never half of a letter. */
export function beginningOf(text: string): string {
  return text.length <= LONG ? text : `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')}…`;
}
