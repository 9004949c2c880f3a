import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { WORDS } from '../words.js';

/** Flows that are named at first; the others are counted. */
const SHOWN = 3;

/** Flows by their names, each with its page. */
export function FlowLinks({ flows }: { readonly flows: readonly string[] }): JSX.Element {
  const [isWhole, show] = useState(false);
  const rest = isWhole ? 0 : flows.length - SHOWN;
  return (
    <>
      {flows.slice(0, isWhole ? flows.length : SHOWN).map((flow, index) => (
        <>
          {index > 0 && ', '}
          <a href={`/console/flows/${encodeURIComponent(flow)}`}>
            <bdi>{flow}</bdi>
          </a>
        </>
      ))}
      {rest > 0 && (
        <>
          {' '}
          <button type="button" class="link" onClick={() => show(true)}>
            {WORDS.modules.more(rest)}
          </button>
        </>
      )}
    </>
  );
}
