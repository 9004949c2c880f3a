/** Characters, names and entries of a value; more than `max` where there are more than that. */
export function measure(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && size <= max; i += 1) size += measure(value[i], max - size);
    return size;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    if (size > max) break;
    size += name.length + measure(members[name], max - size);
  }
  return size;
}
