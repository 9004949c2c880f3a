import { hash } from 'node:crypto';
import type { Entropy } from '#ports';

/** Several ids, because part of each is the time and not chance. */
const IDS = 4;

/** A new password that no policy refuses: letters of both cases, digits and signs. */
export function newPassword(entropy: Entropy): string {
  const ids = Array.from({ length: IDS }, () => entropy.newId());
  return `Aa1-${hash('sha256', ids.join(), 'base64url').slice(0, 32)}`;
}
