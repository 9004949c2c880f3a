import type { JSX } from 'preact';
import type { Progress } from '../api/output-shapes.js';
import { WORDS } from '../words.js';

interface ProgressBarProps {
  /** Of what is under way, as people say it. */
  readonly name: string;
  readonly progress: Progress;
}

/** How far a running attempt says it is: a bar where it counts, and its words. */
export function ProgressBar({ name, progress }: ProgressBarProps): JSX.Element {
  const { message, percent } = progress;
  return (
    <p class="progress-of">
      {percent !== undefined && (
        <>
          <progress max={100} value={percent} aria-label={WORDS.said.progress(name)} />
          <strong>{WORDS.said.percent(percent)}</strong>
        </>
      )}
      {message !== undefined && <span>{message}</span>}
    </p>
  );
}

/** The same as text: `40 % copies table 17`. */
export function progressWords({ message, percent }: Progress): string {
  const share = percent === undefined ? undefined : WORDS.said.percent(percent);
  return [share, message].filter((part) => part !== undefined).join(' ');
}
