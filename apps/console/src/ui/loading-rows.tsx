import type { JSX } from 'preact';
import { WORDS } from '../words.js';

interface LoadingRowsProps {
  /** Of what is to come. */
  readonly label: string;
  /** About as many as will come. Default: 8. */
  readonly rows?: number;
}

const ROWS = 8;

/** The room of a list that is not there yet, so that nothing moves when it comes. */
export function LoadingRows({ label, rows = ROWS }: LoadingRowsProps): JSX.Element {
  return (
    <div class="loading-rows" role="status">
      <span class="unseen">{`${label}: ${WORDS.loading}`}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} class="loading-row" aria-hidden="true" />
      ))}
    </div>
  );
}
