/**
 * How an input grows while it is measured: three times as large again as before, so that there are
 * three doublings.
 */
export const SIZES = [1 / 8, 1 / 4, 1 / 2, 1] as const;

/**
 * A doubling of the input may take this many times the time. Objects of ten thousand members and
 * more take up to 2.7 times, in any reading of them: their tables leave one cache after the other.
 */
const PER_DOUBLING_MAX = 2.9;
/** Linear time gives 4, quadratic time gives 16. */
export const GROWTH_MAX = PER_DOUBLING_MAX ** (SIZES.length - 2);

/**
 * By how much all doublings but the steepest multiply the time. One doubling proves nothing: where
 * objects become too large for the allocator's small pages, or a table too large for a cache, twice
 * the input takes many times the time, once. A reading that is not linear is so in each doubling.
 */
export function growthOf(times: readonly number[]): number {
  const ratios = times.slice(1).map((time, index) => time / times[index]!);
  return ratios.reduce((product, ratio) => product * ratio, 1) / Math.max(...ratios);
}

/** The growth of a reading that goes once through its input. */
const LINEAR_GROWTH = 2 ** (SIZES.length - 2);

/** The most that a reading may grow where a linear one of the same inputs grows by so much. */
export function limitBeside(linear: number): number {
  return GROWTH_MAX * Math.max(1, linear / LINEAR_GROWTH);
}

/** The better time of two, size by size. */
export function quicker(times: readonly number[], others: readonly number[]): readonly number[] {
  return times.map((time, index) => Math.min(time, others[index]!));
}
