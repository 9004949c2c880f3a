import { nullWhereUnreadable } from '#ports';
import type { OssOptions } from '../options.js';

/** The author of something that goes on by itself. */
export interface PublicAuthor {
  /** Of a key, or `<issuer>#<subject>` of a token. */
  readonly keyId: string;
  /** The key was revoked, has expired or cannot be read. Of tokens that is not known. */
  readonly gone: boolean;
}

/** Something that was stored with a key, or with none. */
interface Authored {
  readonly keyId?: string;
}

/**
 * Tells whose records are, and whether the keys that they were stored with are still good. Each key
 * is read once. Throws `StoreUnavailable`.
 */
export async function authorsOf<T extends Authored>(
  { clock, keys }: Pick<OssOptions, 'clock' | 'keys'>,
  records: readonly T[],
): Promise<(record: T) => PublicAuthor | null> {
  const ids = new Set(records.flatMap(({ keyId }) => (isKey(keyId) ? [keyId] : [])));
  const gone = new Set<string>();
  const now = clock.now();
  await Promise.all(
    [...ids].map(async (id) => {
      const key = await keys.get(id).catch(nullWhereUnreadable);
      if (key === null || (key.expiresAt !== null && key.expiresAt <= now)) gone.add(id);
    }),
  );
  return ({ keyId }) => (keyId === undefined ? null : { keyId, gone: gone.has(keyId) });
}

/** Tokens are of a person who is called `<issuer>#<subject>`. */
function isKey(keyId: string | undefined): keyId is string {
  return keyId !== undefined && !keyId.includes('#');
}
