import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';

/** The ids of a span, where it does not get those of chance. */
interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Gives a span the ids that it is told of, and all others, such as those of commands, new ones. */
export class ToldIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #told: SpanIds | null = null;

  /** Makes a span with these ids; `make` makes one alone, at once. */
  using<T>(ids: SpanIds, make: () => T): T {
    this.#told = ids;
    try {
      return make();
    } finally {
      this.#told = null;
    }
  }

  generateTraceId(): string {
    return this.#told?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#told?.spanId ?? this.#random.generateSpanId();
  }
}
