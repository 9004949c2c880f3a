import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import type { GraphProps } from './graph.js';

type Drawer = (props: GraphProps) => JSX.Element;

let loaded: Drawer | null = null;

/** Loads the graph, which is large, and which lists do without; whether it is there. */
export function useGraph(): boolean {
  const [, again] = useState(0);
  useEffect(() => {
    if (loaded !== null) return;
    const load = async (): Promise<void> => {
      loaded = (await import('./graph.js')).Graph;
      again(1);
    };
    void load();
  }, []);
  return loaded !== null;
}

/** The graph, loaded when the first one is shown. */
export function LazyGraph(props: GraphProps): JSX.Element {
  useGraph();
  const Drawn = loaded;
  return Drawn === null ? <p class="faint graph-wait">{WORDS.loading}</p> : <Drawn {...props} />;
}
