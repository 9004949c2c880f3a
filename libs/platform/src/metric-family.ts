import type { Registry } from 'prom-client';
import { type ReadMetric, registerMetric } from '#seams/prom-client';

/** One sample in the form in which prom-client's registry reads a metric. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** The name, the help and the labels of a family of metrics. */
interface FamilyOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/**
 * A metric whose labelled members are objects that can be kept: counting is one addition. The
 * members of prom-client's own metrics build and hash their labels at every count.
 */
abstract class MetricFamily<Member> implements ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly aggregator = 'sum';
  abstract readonly type: 'counter' | 'histogram';
  readonly #labels: readonly string[];
  readonly #members = new Map<string, Labelled<Member>>();
  #drop: { isRetired: (flow: string) => boolean; onDropped: () => void } | null = null;

  constructor({ name, help, labels }: FamilyOptions, registry: Registry) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
    registerMetric(registry, this);
  }

  /** The member with these values of the labels, in their order. Keep it. */
  with(...values: readonly string[]): Member {
    const key = JSON.stringify(values);
    const found = this.#members.get(key);
    if (found !== undefined) return found.member;
    const labels = Object.fromEntries(this.#labels.map((name, at) => [name, values[at] ?? '']));
    const member = this.create();
    this.#members.set(key, { labels, member, readAt: null });
    return member;
  }

  /** Members with such a label `flow` go once they were read and have not changed since. */
  dropWhere(isRetired: (flow: string) => boolean, onDropped: () => void): void {
    if (this.#labels.includes('flow')) this.#drop = { isRetired, onDropped };
  }

  /** Called by the registry. */
  get(): Promise<object> {
    this.#dropRetired();
    const values = [...this.#members.values()].flatMap(({ labels, member }) =>
      this.samples(member).map((sample) => ({
        ...sample,
        labels: { ...labels, ...sample.labels },
      })),
    );
    const { aggregator, help, name, type } = this;
    return Promise.resolve({ aggregator, help, name, type, values });
  }

  /** Called by the registry. */
  reset(): void {
    this.#members.clear();
  }

  #dropRetired(): void {
    if (this.#drop === null) return;
    const { isRetired, onDropped } = this.#drop;
    let isAny = false;
    for (const [key, labelled] of this.#members) {
      const { labels, member, readAt } = labelled;
      if (!isRetired(labels['flow'] ?? '')) continue;
      const count = this.countOf(member);
      if (readAt === count) isAny = this.#members.delete(key);
      else labelled.readAt = count;
    }
    if (isAny) onDropped();
  }

  protected abstract create(): Member;
  /** How often it was counted, or how much. */
  protected abstract countOf(member: Member): number;
  protected abstract samples(member: Member): Sample[];
}

interface Labelled<Member> {
  readonly labels: Record<string, string>;
  readonly member: Member;
  /** Its count when it was read while its flow was retired; null: it was not. */
  readAt: number | null;
}

/** Something that is counted. */
export class Count {
  value = 0;

  add(more = 1): void {
    this.value += more;
  }
}

/** Counters that differ in their labels. */
export class CounterFamily extends MetricFamily<Count> {
  readonly type = 'counter';

  protected create(): Count {
    return new Count();
  }

  protected countOf({ value }: Count): number {
    return value;
  }

  protected samples({ value }: Count): Sample[] {
    return [{ labels: {}, value }];
  }
}

/** How often a measured value fell between which bounds. */
export class Distribution {
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.count += 1;
    this.sum += value;
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.counts[at] = (this.counts[at] ?? 0) + 1;
  }
}

/** Histograms that differ in their labels. */
export class HistogramFamily extends MetricFamily<Distribution> {
  readonly type = 'histogram';
  readonly #bounds: readonly number[];

  constructor(options: FamilyOptions & { readonly bounds: readonly number[] }, registry: Registry) {
    super(options, registry);
    this.#bounds = options.bounds;
  }

  protected create(): Distribution {
    return new Distribution(this.#bounds);
  }

  protected countOf({ count }: Distribution): number {
    return count;
  }

  protected samples({ bounds, count, counts, sum }: Distribution): Sample[] {
    const metricName = `${this.name}_bucket`;
    let below = 0;
    const buckets = bounds.map((le, at): Sample => {
      below += counts[at] ?? 0;
      return { labels: { le }, value: below, metricName };
    });
    return [
      ...buckets,
      { labels: { le: '+Inf' }, value: count, metricName },
      { labels: {}, value: sum, metricName: `${this.name}_sum` },
      { labels: {}, value: count, metricName: `${this.name}_count` },
    ];
  }
}
