import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Known } from './suggest.js';

const NOTHING: Known = { commands: new Map(), flows: [] };

/** The commands that executors announce, and the names of flows. Empty until they are there. */
export function useKnown(): Known {
  const [known, set] = useState(NOTHING);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<void> => {
      const [executors, flows] = await Promise.all([api.executors(signal), api.flows(signal)]);
      const commands = executors.items.flatMap(({ commands: own, module }) =>
        own.map(({ name, parameters }) => [`${module}.${name}`, parameters] as const),
      );
      set({ commands: new Map(commands), flows: flows.items.map(({ name }) => name) });
    };
    // Without it, names are typed in full.
    read().catch(() => {});
    return () => controller.abort();
  }, []);
  return known;
}
