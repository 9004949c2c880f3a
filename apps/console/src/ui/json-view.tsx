import type { JSX } from 'preact';
import type { Json } from '../api/shapes.js';
import { WORDS } from '../words.js';

const LONG = 20_000;

/** A value as JSON. It is text, whatever it says. */
export function JsonView({
  name,
  value,
}: {
  readonly name: string;
  readonly value: Json;
}): JSX.Element {
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  if (isEmpty) return <p class="faint">{WORDS.task.none}</p>;
  const text = JSON.stringify(value, null, 2);
  const shown = text.length > LONG ? `${text.slice(0, LONG)}\n…` : text;
  return (
    // Long values are scrolled to, also by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre class="json" tabIndex={0} role="group" aria-label={name}>
      {shown}
    </pre>
  );
}
