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

/** The own key of an action, with what tells its request from others under the same key. */
export function actionKey(own: string, fingerprint: string): string {
  return `${own}${SEPARATOR}${fingerprint}`;
}

/**
 * Whether two keys of actions are one key of one caller, whatever was asked for under it. The key
 * of a signal is its own, and is compared as it is.
 */
export function isSameOwnKey(one: string, other: string): boolean {
  return ownPart(one) === ownPart(other);
}

function ownPart(actionsKey: string): string {
  return actionsKey.slice(0, actionsKey.lastIndexOf(SEPARATOR) + 1) || actionsKey;
}
