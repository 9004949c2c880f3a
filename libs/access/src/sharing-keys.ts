import { deriveKey, type KeyPurpose } from './derived-keys.js';

/** The secrets that texts for one use follow from, the same in all processes of a deployment. */
export interface SharedSecrets {
  /** As for `TextSeal`: texts are made with the first and read with each. Null: there is none. */
  readonly keys: readonly string[] | null;
  /** The secret in the store. With keys it only tells deployments apart. */
  readonly shared: string;
}

/** The keys for one use: the first makes texts, each reads them. */
export function keysFor(
  { keys, shared }: SharedSecrets,
  purpose: KeyPurpose,
): readonly [Buffer, ...Buffer[]] {
  const [first, ...others] = (keys ?? []).map((key) => deriveKey(key, purpose, shared));
  return first === undefined ? [Buffer.from(shared)] : [first, ...others];
}
