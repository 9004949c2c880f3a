/** The set of a key, which is put in where there is none. */
export function setIn<T>(sets: Map<string, Set<T>>, key: string): Set<T> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const made = new Set<T>();
  sets.set(key, made);
  return made;
}

/** Takes a value out of the set of a key; no empty set is kept. */
export function dropFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
