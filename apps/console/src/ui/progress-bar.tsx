import type { JSX } from 'preact';
import type { Progress } from '../api/output-shapes.js';
import { WORDS } from '../words.js';

interface ProgressBarProps {
  /** Of what is under way, as people say it. */
  readonly name: string;
  readonly progress: Progress;
}

/** How far a running attempt says it is: its state, a bar where it counts, and its words. */
export function ProgressBar({ name, progress }: ProgressBarProps): JSX.Element {
  const { message, percent, state } = progress;
  return (
    <p class="progress-of">
      {state !== undefined && <strong>{state}</strong>}
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

/** The same as text: `copying, 40 % table 17`. */
export function progressWords({ message, percent, state }: Progress): string {
  const share = percent === undefined ? undefined : WORDS.said.percent(percent);
  const words = [share, message].filter((part) => part !== undefined).join(' ');
  return [state, words].filter(Boolean).join(', ');
}
