import type { JSX } from 'preact';
import { GRAPH } from '../words/graph.js';
import type { Folds } from './use-folds.js';
import type { Counted } from './view.js';

interface FoldBarProps {
  readonly folds: Folds;
  /** The boxes in view; null: not known. */
  readonly counted: Counted | null;
}

/** Says how much of the graph is in view, and opens and folds everything at once. */
export function FoldBar({ counted, folds }: FoldBarProps): JSX.Element | null {
  const { all } = folds;
  const isPart = counted !== null && counted.shown < counted.total;
  if (all.length === 0 && !isPart) return null;
  return (
    <div class="fold-bar">
      {isPart && <span class="faint">{GRAPH.inView(counted.shown, counted.total)}</span>}
      {all.length > 0 && <FoldButtons folds={folds} />}
    </div>
  );
}

function FoldButtons({ folds }: Pick<FoldBarProps, 'folds'>): JSX.Element {
  const { all, open, set } = folds;
  const { foldAll, openAll } = GRAPH;
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-disabled={open.size === all.length}
        onClick={() => set(all, true)}
      >
        {openAll}
      </button>
      <button
        type="button"
        class="quiet"
        aria-disabled={open.size === 0}
        onClick={() => set(all, false)}
      >
        {foldAll}
      </button>
    </>
  );
}
