import { DATE, oneOf, orAbsent, orNull, TEXT, TEXT_LIST, TEXTS } from '#core';
import { type KeyRecord, ROLES } from './key-store.js';
import { recordCheck, SHA_256 } from './record-form.js';

/** The rules of what a key may do. */
export const KEY_LIMITS = {
  role: oneOf(ROLES, 'a role'),
  flows: orNull(TEXT_LIST),
  labels: orNull(TEXTS),
  modules: orNull(TEXT_LIST),
};

/** A key, if it can be one. Throws `DocumentFault`. */
export const checkKey = recordCheck<KeyRecord>({
  ...KEY_LIMITS,
  id: TEXT,
  hash: SHA_256,
  name: TEXT,
  createdAt: DATE,
  expiresAt: orNull(DATE),
  madeBy: orAbsent(TEXT),
  usedAt: orNull(DATE),
});
