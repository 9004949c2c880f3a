import type { Clock, ExecutorRecord, Observer, StepTransport } from '#ports';
import { Loop } from '#engine';

const ROUND_MS = 10_000;

/** The parts that a watch works with. */
interface UnheardModulesParts {
  readonly clock: Clock;
  readonly observer: Observer;
  /** Executors that were heard of lately. */
  readonly list: () => Promise<readonly ExecutorRecord[]>;
  readonly transport: Pick<StepTransport, 'receivers'>;
}

/**
 * Modules whose executors live while nobody is subscribed to their queue. An executor knows that it
 * cannot subscribe, and this tells it where people ask a gateway. Seen once, it may be a moment in
 * which an executor subscribes again: only what was seen twice in a row is told.
 */
export class UnheardModules {
  private readonly loop: Loop;
  private seen: ReadonlySet<string> = new Set();
  private told: readonly string[] = [];

  constructor(private readonly parts: UnheardModulesParts) {
    const work = { name: 'unheard_modules', intervalMs: ROUND_MS, tick: () => this.tick() };
    this.loop = new Loop(work, parts.clock, parts.observer);
  }

  async start(): Promise<void> {
    this.loop.start();
  }

  /** Waits for the round in hand. Safe to call twice and before start. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Notes for `/readyz`, in the order of the modules' names. */
  notes(): readonly string[] {
    return this.told.map((module) => {
      return (
        `degraded: executors of ${module} live, and none is subscribed to its queue; ` +
        'their /readyz says why'
      );
    });
  }

  /** One round. */
  async tick(): Promise<void> {
    const { list, transport } = this.parts;
    // A gateway subscribes for workers, and only while some wait.
    const atBroker = (await list()).filter(({ worker }) => worker !== true);
    const modules = [...new Set(atBroker.map(({ module }) => module))].toSorted();
    const counts = await Promise.all(modules.map((module) => transport.receivers(module)));
    const unheard = modules.filter((_module, n) => counts[n] === 0);
    this.told = unheard.filter((module) => this.seen.has(module));
    this.seen = new Set(unheard);
  }
}
