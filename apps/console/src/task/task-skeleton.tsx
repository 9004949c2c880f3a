import type { JSX } from 'preact';
import { WORDS } from '../words.js';

/** Parts of the page, by the heights of what will stand there. */
const PARTS = ['line', 'bar', 'facts', 'graph', 'panel'] as const;

/** Stands for a task until it is there, so that nothing moves when it comes. */
export function TaskSkeleton(): JSX.Element {
  return (
    <div class="skeleton">
      <p class="unseen">{WORDS.loading}</p>
      {PARTS.map((part) => (
        <div key={part} aria-hidden="true" class={`skeleton-part skeleton-${part}`} />
      ))}
    </div>
  );
}
