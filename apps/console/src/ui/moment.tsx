import type { JSX } from 'preact';
import { WORDS } from '../words.js';
import {
  absoluteWords,
  durationWords,
  exactWords,
  relativeWords,
  shortWords,
  wholeWords,
} from './durations.js';
import { useTicking } from './ticks.js';

interface MomentProps {
  /** Seconds since 1970; null: it has not come. */
  readonly at: number | null;
  /** Whether the absolute time stands there too, and not only under the pointer. */
  readonly isWhole?: boolean;
  /** The absolute part of it, where the page says the rest elsewhere. Default: all of it. */
  readonly words?: (at: number) => string;
  /** Whether to say how long ago it was. Default: true. */
  readonly isRelative?: boolean;
}

/** A moment in the reader's zone: relative, absolute, and exact under the pointer. */
export function Moment({ at, ...rest }: MomentProps): JSX.Element {
  return at === null ? <span class="faint">{WORDS.never}</span> : <Told {...rest} at={at} />;
}

function Told({
  at,
  isRelative = true,
  isWhole = false,
  words = absoluteWords,
}: MomentProps & { readonly at: number }): JSX.Element {
  const relative = useTicking((present) => (isRelative ? relativeWords(at, present) : ''));
  const whole = isRelative ? `${words(at)} (${relative})` : words(at);
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exactWords(at)}>
      {isWhole ? whole : relative}
    </time>
  );
}

interface SpanProps {
  readonly from: number | null;
  readonly to: number | null;
}

/** How long something took, or takes by now; of whole seconds, as much as these tell. */
export function Span({ from, to }: SpanProps): JSX.Element {
  if (from === null) return <span class="faint">{WORDS.never}</span>;
  if (to === null) return <Running from={from} />;
  const isExact = !(Number.isInteger(from) && Number.isInteger(to));
  return <span>{isExact ? shortWords(to - from) : wholeWords(to - from)}</span>;
}

function Running({ from }: { readonly from: number }): JSX.Element {
  return <span>{useTicking((present) => durationWords(present - from))}</span>;
}
