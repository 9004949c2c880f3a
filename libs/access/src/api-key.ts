import { createHash, timingSafeEqual } from 'node:crypto';

/** A key as its owner has it, in its two parts. */
export interface ApiKey {
  /** Names the key; no secret. */
  readonly id: string;
  /** 256 random bits, in base64url. */
  readonly secret: string;
}

const WRITTEN = /^bsk_([0-9a-f]{16})_([\w-]{43})$/;

/** The key as it is shown, once: `bsk_<id>_<secret>`. */
export function keyText({ id, secret }: ApiKey): string {
  return `bsk_${id}_${secret}`;
}

/** The parts of a key; null: it is none. */
export function readKey(text: string): ApiKey | null {
  const [, id, secret] = WRITTEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/**
 * The hash that is stored of a secret. One round of SHA-256 is enough: there is nothing to guess in
 * 256 random bits.
 */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret is the one of a hash, in the same time wherever the two differ. */
export function isSecretOf(hash: string, secret: string): boolean {
  const [stored, shown] = [Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex')];
  return stored.length === shown.length && timingSafeEqual(stored, shown);
}
