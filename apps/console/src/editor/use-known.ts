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
      const [executors, flows, defaults] = await Promise.all([
        api.executors(signal),
        api.flows(signal),
        api.commandDefaults(signal),
      ]);
      const commands = executors.items.flatMap(({ commands: own, module }) =>
        own.map(({ name, parameters }) => [`${module}.${name}`, parameters] as const),
      );
      const undos = defaults.items.flatMap(({ command, module, rollback }) =>
        rollback
          ? [[`${module}.${command}`, `${rollback.module}.${rollback.command}`] as const]
          : [],
      );
      const names = flows.items.map(({ name }) => name);
      set({ commands: new Map(commands), flows: names, undos: new Map(undos) });
    };
    // Without it, names are typed in full.
    read().catch(() => {});
    return () => controller.abort();
  }, []);
  return known;
}
