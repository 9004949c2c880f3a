/** Nobody mistypes a name that long; comparing it would only cost time. */
const LENGTH_MAX = 64;

/** The one of `known` that was probably meant by `name`, if any. */
export function nearName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const plain = plainName(name);
  let nearest: string | undefined;
  let least = Math.max(1, Math.min(3, Math.floor(plain.length / 3))) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > 6) continue;
    const distance = editDistance(plain, plainName(candidate), least - 1);
    if (distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

/** Without what people write one way or the other: case, and signs between words. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ .]/g, '');
}

/**
 * Inserted, missing, replaced and swapped letters between two names; `Infinity` where they are more
 * than `most`, for which only the letters around the diagonal need be compared.
 */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => (j > most ? Infinity : j));
  for (let i = 1; i <= a.length; i += 1) {
    const row = Array<number>(b.length + 1).fill(Infinity);
    if (i <= most) row[0] = i;
    const end = Math.min(b.length, i + most);
    for (let j = Math.max(1, i - most); j <= end; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row[j] = least;
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
