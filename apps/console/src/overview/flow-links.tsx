import type { JSX } from 'preact';
import { WORDS } from '../words.js';

/** Flows that are named; the others are counted. */
const SHOWN = 3;

/** Flows by their names, each with its page. */
export function FlowLinks({ flows }: { readonly flows: readonly string[] }): JSX.Element {
  const rest = flows.length - SHOWN;
  return (
    <>
      {flows.slice(0, SHOWN).map((flow, index) => (
        <>
          {index > 0 && ', '}
          <a href={`/console/flows/${encodeURIComponent(flow)}`}>{flow}</a>
        </>
      ))}
      {rest > 0 && ` ${WORDS.modules.more(rest)}`}
    </>
  );
}
