import type { JSX } from 'preact';
import { GRAPH } from '../words/graph.js';
import type { Folds } from './use-folds.js';
import type { Counted } from './view.js';

interface FoldBarProps {
  readonly folds: Folds;
  /** The boxes in view; null: not known. */
  readonly counted: Counted | null;
  /** Boxes of a graph that is too large to be seen whole; 0: it is not. */
  readonly expected: number;
}

/** Says how much of the graph is in view, and opens and folds everything at once. */
export function FoldBar({ counted, expected, folds }: FoldBarProps): JSX.Element | null {
  const { all } = folds;
  const isPart = counted === null ? expected > 0 : counted.shown < counted.total;
  if (all.length === 0 && !isPart) return null;
  const { shown, total } = counted ?? { shown: expected, total: expected };
  return (
    <div class="fold-bar">
      {/* Until they are counted, their place: nothing moves when they are. */}
      {isPart && (
        <span class={counted === null ? 'is-awaited' : 'faint'}>{GRAPH.inView(shown, total)}</span>
      )}
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
        onClick={() => set(all, true)}>
        {openAll}
      </button>
      <button
        type="button"
        class="quiet"
        aria-disabled={open.size === 0}
        onClick={() => set(all, false)}>
        {foldAll}
      </button>
    </>
  );
}
