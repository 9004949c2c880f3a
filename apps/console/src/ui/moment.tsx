import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { now } from '../browser/clock.js';
import { WORDS } from '../words.js';
import {
  absoluteWords,
  durationWords,
  relativeWords,
  shortWords,
  wholeWords,
} from './durations.js';

const TICK_MS = 5_000;

/** The present in seconds, again every few seconds. */
export function useSeconds(): number {
  const [seconds, set] = useState(() => now() / 1_000);
  useEffect(() => {
    const timer = setInterval(() => set(now() / 1_000), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}

interface MomentProps {
  /** Seconds since 1970; null: it has not come. */
  readonly at: number | null;
  /** Whether the absolute time stands there too, and not only under the pointer. */
  readonly isWhole?: boolean;
}

/** A moment, relative and absolute. */
export function Moment({ at, isWhole = false }: MomentProps): JSX.Element {
  const present = useSeconds();
  if (at === null) return <span class="faint">{WORDS.never}</span>;
  const absolute = absoluteWords(at);
  const relative = relativeWords(at, present);
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={absolute}>
      {isWhole ? `${absolute} (${relative})` : relative}
    </time>
  );
}

interface SpanProps {
  readonly from: number | null;
  readonly to: number | null;
}

/** How long something took, or takes by now; of whole seconds, as much as these tell. */
export function Span({ from, to }: SpanProps): JSX.Element {
  const present = useSeconds();
  if (from === null) return <span class="faint">{WORDS.never}</span>;
  const seconds = (to ?? present) - from;
  const isExact = to !== null && !(Number.isInteger(from) && Number.isInteger(to));
  if (isExact) return <span>{shortWords(seconds)}</span>;
  return <span>{to === null ? durationWords(seconds) : wholeWords(seconds)}</span>;
}
