import type { JSX } from 'preact';
import { GRAPH } from '../words/graph.js';
import type { Folds } from './use-folds.js';

/** Opens and folds everything at once; nothing where nothing can be folded. */
export function FoldBar({ folds }: { readonly folds: Folds }): JSX.Element | null {
  const { all, open, set } = folds;
  if (all.length === 0) return null;
  const { foldAll, openAll } = GRAPH;
  return (
    <div class="fold-bar">
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
    </div>
  );
}
