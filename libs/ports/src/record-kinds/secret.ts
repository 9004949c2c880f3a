import { TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';
import { type RecordStore, recordsOf } from '../record-store.js';

/** A secret that all processes with one store share. */
interface SharedSecret {
  readonly name: string;
  readonly text: string;
}

/** Secrets that all processes with one store share. */
export const SECRET = recordKind<SharedSecret>({
  name: 'secret',
  plural: 'secrets',
  shape: { name: TEXT, text: TEXT },
  idOf: ({ name }) => name,
  indexes: {},
});

/**
 * The secret that all processes with this store share under a name: the one that was kept first, or
 * `fresh`, which is kept durably then. Throws `StoreUnavailable`, and `RecordUnreadable`.
 */
export async function sharedSecret(
  store: RecordStore,
  name: string,
  fresh: string,
): Promise<string> {
  const secrets = recordsOf(store, SECRET);
  await secrets.put({ name, text: fresh }, null);
  return (await secrets.get(name))?.text ?? fresh;
}

/** Under this name a store keeps its id, which a copy of it has too; it is not secret. */
export const STORE_ID = 'store';
