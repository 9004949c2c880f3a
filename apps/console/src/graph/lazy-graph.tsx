import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import type { Graph as GraphModel } from './graph-model.js';

interface LazyGraphProps {
  readonly graph: GraphModel;
  readonly picked: string | null;
  readonly onPick: (id: string) => void;
  /** Additional texts of nodes, by the names of steps. */
  readonly badges: ReadonlyMap<string, string>;
}

type Drawer = (props: LazyGraphProps) => JSX.Element;

let loaded: Drawer | null = null;

/** The graph, loaded when the first one is shown: it is large, and lists do without it. */
export function LazyGraph(props: LazyGraphProps): JSX.Element {
  const [, again] = useState(0);
  useEffect(() => {
    if (loaded !== null) return;
    const load = async (): Promise<void> => {
      loaded = (await import('./graph.js')).Graph;
      again(1);
    };
    void load();
  }, []);
  const Drawn = loaded;
  return Drawn === null ? <p class="faint graph-wait">{WORDS.loading}</p> : <Drawn {...props} />;
}
