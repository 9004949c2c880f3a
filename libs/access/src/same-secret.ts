import { hash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that says nothing about where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => hash('sha256', text, 'buffer'));
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
