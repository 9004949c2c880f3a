import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import type { GraphProps } from './graph.js';

type Drawer = (props: GraphProps) => JSX.Element;

let loaded: Drawer | null = null;

/** The graph, loaded when the first one is shown: it is large, and lists do without it. */
export function LazyGraph(props: GraphProps): JSX.Element {
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
  return Drawn === null ? (
    <p class="faint graph-wait graph-h260">{WORDS.loading}</p>
  ) : (
    <Drawn {...props} />
  );
}
