import type { StatisticsRow, StatisticsSpan } from '#ports';
import { FlowCounter } from './flow-counter.js';

/** Length of each span, in milliseconds. */
export const SPAN_MS: Readonly<Record<StatisticsSpan, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
};

/** Counters of past spans that wait for the store at most; of more, the oldest are dropped. */
const WAITING_MAX = 5_000;

/**
 * The counters of flows in the span that is now. When the next one begins, they wait until they are
 * stored. Each turn has an owner of its own: a span that comes again, because the clock was set
 * back, never replaces what was stored of it.
 */
export class SpanCounters {
  #start = -Infinity;
  #turn = 0;
  #current = new Map<string, FlowCounter>();
  #past: FlowCounter[] = [];

  constructor(
    private readonly span: StatisticsSpan,
    private readonly owner: string,
  ) {}

  /**
   * The counter of a flow for a fact of this moment. Facts come a little out of order: one from up
   * to a span before the current one counts as of the current one.
   */
  at(moment: number, flow: string): FlowCounter {
    const length = SPAN_MS[this.span];
    const age = moment - this.#start;
    if (age >= length || age < -length) this.#turnTo(Math.floor(moment / length) * length);
    const known = this.#current.get(flow);
    if (known !== undefined) return known;
    const key = { flow, span: this.span, start: this.#start };
    const added = new FlowCounter({ ...key, owner: `${this.owner}.${this.#turn}` });
    this.#current.set(flow, added);
    return added;
  }

  /** The counters that have something that is not stored. */
  changed(): readonly FlowCounter[] {
    return [...this.#past, ...this.#current.values()].filter(({ isChanged }) => isChanged);
  }

  /** Lets go of past counters that are stored. */
  forgetStored(): void {
    this.#past = this.#past.filter(({ isChanged }) => isChanged);
  }

  /** The counts of a flow that are still here. */
  rowsOf(flow: string): readonly StatisticsRow[] {
    const rows = this.#past.map(({ row }) => row).filter((row) => row.flow === flow);
    const current = this.#current.get(flow);
    return current === undefined ? rows : [...rows, current.row];
  }

  #turnTo(start: number): void {
    const waiting = [...this.#past, ...this.#current.values()];
    this.#past = waiting.filter(({ isChanged }) => isChanged).slice(-WAITING_MAX);
    this.#current = new Map();
    this.#start = start;
    this.#turn += 1;
  }
}
