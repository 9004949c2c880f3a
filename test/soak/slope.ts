/** Something measured at a time. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/**
 * The growth that fits several lives best (least squares): each has a level of its own, so that a
 * new start does not look like something that was given back.
 */
export function slopeOf(lives: readonly (readonly Sample[])[]): number | undefined {
  let [products, squares] = [0, 0];
  for (const life of lives) {
    const at = mean(life.map((sample) => sample.at));
    const value = mean(life.map((sample) => sample.value));
    for (const sample of life) {
      products += (sample.at - at) * (sample.value - value);
      squares += (sample.at - at) ** 2;
    }
  }
  return squares === 0 ? undefined : products / squares;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
