import { Gauge, type Registry } from 'prom-client';
import type { Clock, Observer, Timer } from '#ports';

/** How often the loop is looked at, in milliseconds; a delay is what comes on top of it. */
const MEASURE_EVERY_MS = 50;

/** How late the event loop was, in milliseconds. */
interface LoopDelays {
  /** Of a hundred looks, 99 were no later. */
  readonly p99Ms: number;
  /** The longest that the loop did not turn. */
  readonly maxMs: number;
}

/** How often the delays are read, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** Readings that the metrics show the worst of: a minute, so that no scrape misses a delay. */
const READINGS_MAX = 12;
/** From this delay on, in milliseconds, the delay is reported. */
const LONG_MS = 1_000;

/** The parts that a watch works with. */
interface LoopWatchParts {
  readonly delay: Pick<LoopDelay, 'start' | 'stop' | 'take'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly observer: Pick<Observer, 'noticed'>;
  readonly registry: Registry;
}

/**
 * Watches the event loop of a process. While it does not turn, no request is answered and no lease
 * renewed: a delay above one second is told as `event_loop_delayed`.
 */
export class LoopWatch {
  #readings: readonly LoopDelays[] = [];
  #timer: Timer | null = null;

  constructor(private readonly parts: LoopWatchParts) {}

  /** Begins to measure, and shows `backstep_event_loop_delay_seconds`. */
  start(): void {
    this.parts.delay.start();
    this.parts.registry.registerMetric(this.#gauge());
    this.#wait();
  }

  /** Ends the measurement. Safe to call twice. */
  stop(): void {
    this.#timer?.cancel();
    this.parts.delay.stop();
  }

  #gauge(): Gauge {
    const worst = (member: keyof LoopDelays): number => {
      return Math.max(0, ...this.#readings.map((reading) => reading[member])) / 1_000;
    };
    return new Gauge({
      name: 'backstep_event_loop_delay_seconds',
      help: 'How late the event loop was, the worst of the last minute',
      labelNames: ['stat'],
      registers: [],
      collect() {
        this.set({ stat: 'p99' }, worst('p99Ms'));
        this.set({ stat: 'max' }, worst('maxMs'));
      },
    });
  }

  #wait(): void {
    this.#timer = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.#look();
      this.#wait();
    });
  }

  #look(): void {
    const reading = this.parts.delay.take();
    this.#readings = [...this.#readings, reading].slice(-READINGS_MAX);
    if (reading.maxMs <= LONG_MS) return;
    const seconds = (reading.maxMs / 1_000).toFixed(1);
    const message = `The event loop was blocked for ${seconds} s: nothing was answered or renewed.`;
    this.parts.observer.noticed({ level: 'warn', name: 'event_loop_delayed', message });
  }
}

/**
 * Measures how late this process's event loop is: what waits in it waits as long. By a timer,
 * because the histogram of `node:perf_hooks` does not see what blocks the loop right after it was
 * read and reset.
 */
export class LoopDelay {
  #delays: number[] = [];
  #timer: Timer | null = null;

  constructor(private readonly clock: Pick<Clock, 'after' | 'monotonic'>) {}

  /** Begins to measure. */
  start(): void {
    const dueAt = this.clock.monotonic() + MEASURE_EVERY_MS;
    this.#timer = this.clock.after(MEASURE_EVERY_MS, () => {
      this.#delays.push(Math.max(0, this.clock.monotonic() - dueAt));
      this.start();
    });
  }

  /** Delays since the last call, which are then forgotten; zeros where nothing was measured. */
  take(): LoopDelays {
    const delays = this.#delays.toSorted((a, b) => a - b);
    this.#delays = [];
    const p99Ms = delays[Math.ceil(delays.length * 0.99) - 1] ?? 0;
    return { p99Ms, maxMs: delays.at(-1) ?? 0 };
  }

  /** Ends the measurement. Safe to call twice. */
  stop(): void {
    this.#timer?.cancel();
  }
}
