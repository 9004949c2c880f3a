import type { Principal } from '#access';

/** No idempotency key has one, so the key that a client sent is what stands before the first. */
const SEPARATOR = '\u001F';

/**
 * The idempotency key as it is stored: where callers are told apart, keys of different ones never
 * meet. Where they are not, the key as it was sent.
 */
export function ownKey(
  { keyId }: Pick<Principal, 'keyId'>,
  idempotencyKey: string | null,
): string | null {
  if (idempotencyKey === null || keyId === null) return idempotencyKey;
  return `${idempotencyKey}${SEPARATOR}${keyId}`;
}
