import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../api/shapes.js';
import { downloadText } from '../browser/download.js';
import { WORDS } from '../words.js';

/** A longer text takes a browser long to draw: its rest is shown when a person asks for it. */
const LONG = 20_000;

interface JsonViewProps {
  readonly name: string;
  readonly value: Json;
}

/** A value as JSON. It is text, whatever it says. */
export function JsonView({ name, value }: JsonViewProps): JSX.Element {
  const [isWhole, show] = useState(false);
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  if (isEmpty) return <p class="faint">{WORDS.task.none}</p>;
  const text = JSON.stringify(value, null, 2);
  const isCut = text.length > LONG && !isWhole;
  const { all, download } = WORDS.json;
  return (
    <>
      {/* Long values are scrolled to, also by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre class="json" tabIndex={0} role="group" aria-label={name}>
        {isCut ? `${text.slice(0, LONG)}\n…` : text}
      </pre>
      {text.length > LONG && (
        <div class="buttons json-rest">
          {isCut && (
            <button type="button" onClick={() => show(true)}>
              {all(text.length)}
            </button>
          )}
          <button type="button" onClick={() => downloadText(`${name}.json`, text)}>
            {download}
          </button>
        </div>
      )}
    </>
  );
}
