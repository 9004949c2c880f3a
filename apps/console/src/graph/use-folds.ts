import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countSteps, foldable, holdersOf, type Open, UNFOLDED_MAX } from './folding.js';
import type { GraphStep } from './graph-model.js';
import { withRuns } from './runs.js';

/** The open folds of a graph, and how they are opened and closed. */
export interface Folds {
  readonly open: Open;
  /** Everything that can be folded; empty: there is nothing to fold. */
  readonly all: readonly string[];
  readonly set: (ids: readonly string[], isOpen: boolean) => void;
  /** The steps as they are drawn: those of long lists in runs. */
  readonly steps: readonly GraphStep[];
}

/**
 * Everything is open in a small graph and nothing in a large one, until a person says otherwise.
 * A fold that was seen once stays as it is while the graph grows. A step that is picked is shown.
 */
export function useFolds(steps: readonly GraphStep[], picked: string | null): Folds {
  const [said, say] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { current: atFirst } = useRef(new Map<string, boolean>());
  const all = useMemo(() => {
    const whole = withRuns(steps, { isOpen: () => true, picked });
    const isSmall = countSteps(whole) <= UNFOLDED_MAX;
    const ids = foldable(whole);
    for (const id of ids) if (!atFirst.has(id)) atFirst.set(id, isSmall);
    return ids;
  }, [steps, picked]);
  const set = (ids: readonly string[], isOpen: boolean): void => {
    if (ids.length > 0)
      say((before) => new Map([...before, ...ids.map((id) => [id, isOpen] as const)]));
  };
  const open = useMemo(
    () => new Set(all.filter((id) => said.get(id) ?? atFirst.get(id))),
    [all, said],
  );
  const drawn = useMemo(
    () => withRuns(steps, { isOpen: (id) => open.has(id), picked }),
    [steps, open, picked],
  );
  useEffect(() => {
    if (picked !== null) set(holdersOf(drawn, picked), true);
  }, [picked]);
  return { open, all, set, steps: drawn };
}
