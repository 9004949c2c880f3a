import { Gauge } from 'prom-client';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';

/** One value of a gauge. */
interface LiveSample {
  readonly labels: Readonly<Record<string, string>>;
  /** Null: it cannot be read now. */
  readonly value: number | null;
}

/** A gauge whose values are read from outside the process, such as from the store. */
interface LiveGaugeOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly clock: Pick<Clock, 'after'>;
  /** Reads all its values; a rejection says that none can be read now. */
  read(this: void): Promise<readonly LiveSample[]>;
}

/** Longest wait for the values: far less than Prometheus waits for an answer, in milliseconds. */
const READ_MS = 2_000;

/**
 * A gauge that is read when metrics are asked for. A server that does not answer neither holds
 * up that answer nor makes alerts end: values that cannot be read stay as they were read last.
 * `backstep_ready` tells of the server.
 */
export function liveGauge({ clock, labels, read, ...about }: LiveGaugeOptions): Gauge {
  let known: readonly LiveSample[] = [];
  const keep = (sample: LiveSample): readonly LiveSample[] => {
    if (sample.value !== null) return [sample];
    const isSame = (last: LiveSample): boolean =>
      labels.every((name) => last.labels[name] === sample.labels[name]);
    return known.filter(isSame);
  };
  return new Gauge({
    ...about,
    labelNames: [...labels],
    registers: [],
    async collect() {
      const found = await withinLimit(() => read(), { clock, ms: READ_MS }).catch(() => null);
      if (found !== null) known = found.flatMap(keep);
      this.reset();
      for (const { labels: own, value } of known) if (value !== null) this.set({ ...own }, value);
    },
  });
}
