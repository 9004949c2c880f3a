import type { Metric, Registry } from 'prom-client';

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
abstract class MetricFamily<Member> {
  readonly name: string;
  readonly help: string;
  readonly aggregator = 'sum';
  abstract readonly type: 'counter' | 'histogram';
  readonly #labels: readonly string[];
  readonly #members = new Map<string, { labels: Record<string, string>; member: Member }>();

  constructor({ name, help, labels }: FamilyOptions, registry: Registry) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
    registry.registerMetric(this as unknown as Metric);
  }

  /** The member with these values of the labels, in their order. Keep it. */
  with(...values: readonly string[]): Member {
    const key = JSON.stringify(values);
    const found = this.#members.get(key);
    if (found !== undefined) return found.member;
    const labels = Object.fromEntries(this.#labels.map((name, at) => [name, values[at] ?? '']));
    const member = this.create();
    this.#members.set(key, { labels, member });
    return member;
  }

  /** Called by the registry. */
  get(): Promise<object> {
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

  protected abstract create(): Member;
  protected abstract samples(member: Member): Sample[];
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
