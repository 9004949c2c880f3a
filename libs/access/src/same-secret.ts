import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that says nothing about where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
