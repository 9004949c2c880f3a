import { Loop } from '#engine';
import { type Clock, type DefinitionStore, type Observer, StoreUnavailable } from '#ports';
import type { PrometheusObserver } from '#platform';
import type { Companion } from './start-process.js';

/** How often the flows are looked at, in milliseconds. */
const LOOK_MS = 60_000;

/** The parts of a process that follow which flows are retired. */
interface RetiredFlowsParts {
  readonly clock: Clock;
  readonly definitions: Pick<DefinitionStore, 'listHeads'>;
  readonly metrics: Pick<PrometheusObserver, 'dropFlows'>;
  readonly observer: Observer;
}

/**
 * Has series of retired flows leave the metrics of a process that starts no tasks, and so has no
 * flows of its own to ask.
 */
export function retiredFlows({
  clock,
  definitions,
  metrics,
  observer,
}: RetiredFlowsParts): Companion {
  let retired: ReadonlySet<string> = new Set();
  metrics.dropFlows((flow) => retired.has(flow));
  const tick = async (): Promise<void> => {
    const heads = await definitions.listHeads().catch((error: unknown) => {
      // It is away for everybody, and others say so.
      if (error instanceof StoreUnavailable) return null;
      throw error;
    });
    const gone = heads?.filter(({ standing }) => standing === 'retired');
    if (gone !== undefined) retired = new Set(gone.map(({ name }) => name));
  };
  const loop = new Loop({ name: 'retired_flows', intervalMs: LOOK_MS, tick }, clock, observer);
  return { start: async () => loop.start(), stop: () => loop.stop() };
}
