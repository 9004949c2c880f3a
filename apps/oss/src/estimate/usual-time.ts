import { type Past, PAST_MIN, quantile } from './remaining.js';

/** How long a step takes as a rule. */
export interface UsualTime {
  /** 95 of 100 past tasks needed no longer for it, with its wait in queues, in milliseconds. */
  readonly p95Ms: number;
  /** The number of past tasks that tell it. */
  readonly tasks: number;
}

/** The times of a flow's own steps on one way, by name. Leaves out those too few tasks tell. */
export function usualTimes(
  { tasks }: Past,
  way: 'forward' | 'back',
): ReadonlyMap<string, UsualTime> {
  const lengths = new Map<string, number[]>();
  for (const times of tasks) {
    for (const [step, ms] of times[way]) lengths.set(step, [...(lengths.get(step) ?? []), ms]);
  }
  const usual = new Map<string, UsualTime>();
  for (const [step, known] of lengths) {
    if (known.length < PAST_MIN) continue;
    const sorted = known.toSorted((a, b) => a - b);
    usual.set(step, { p95Ms: quantile(sorted, 0.95), tasks: known.length });
  }
  return usual;
}
