import { Gauge, type Registry } from 'prom-client';
import { readiness, type ReadinessCheck } from '#http-server';
import type { Clock, Timer } from '#ports';

/** How often the checks are made where nobody asks, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** The parts that a watch works with. */
interface ReadyWatchParts {
  readonly checks: readonly ReadinessCheck[];
  readonly clock: Clock;
  readonly registry: Registry;
}

/**
 * Makes the checks of `/readyz` all the time, so that its answer says since when one fails, and
 * tells Prometheus of each.
 */
export class ReadyWatch {
  #timer: Timer | null = null;

  constructor(private readonly parts: ReadyWatchParts) {}

  /** Begins to look, and shows `backstep_ready`. */
  start(): void {
    this.parts.registry.registerMetric(this.#gauge());
    this.#wait();
  }

  /** Ends the watch. Safe to call twice. */
  stop(): void {
    this.#timer?.cancel();
  }

  #gauge(): Gauge {
    const { checks, clock } = this.parts;
    return new Gauge({
      name: 'backstep_ready',
      help: 'Whether each check of /readyz succeeds: 1, or 0',
      labelNames: ['check'],
      registers: [],
      async collect() {
        const { checks: results } = await readiness(checks, clock);
        for (const { name, ready } of results) this.set({ check: name }, ready ? 1 : 0);
      },
    });
  }

  #wait(): void {
    const { checks, clock } = this.parts;
    this.#timer = clock.after(LOOK_EVERY_MS, () => {
      void readiness(checks, clock);
      this.#wait();
    });
  }
}
