import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import { LinkedText } from './linked-text.js';

/** A longer text fills a row; its rest is shown when a person asks for it. In characters. */
const LONG = 240;
const SHOWN = 200;

interface LongTextProps {
  /** Null: nothing. */
  readonly text: string | null;
  /** The server made the text: ids of tasks in it lead to them, times are the reader's. */
  readonly isTold?: boolean;
}

/** A text that a person gave, however long, within a row or a line. */
export function LongText({ isTold = false, text }: LongTextProps): JSX.Element | null {
  const [isWhole, show] = useState(false);
  if (text === null) return null;
  const shown = isWhole ? text : beginningOf(text);
  const told = isTold ? <LinkedText text={shown} /> : <bdi>{shown}</bdi>;
  if (text.length <= LONG) return told;
  const { less, more } = WORDS.longText;
  return (
    <>
      {told}{' '}
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
