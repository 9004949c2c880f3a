import { DATE, oneOf, orAbsent, orNull, TEXT, TEXT_LIST, TEXTS, type Rule } from '#core';
import type { KeyRecord, Role } from './key-store.js';
import { recordCheck } from './record-form.js';

const ROLES: readonly Role[] = ['viewer', 'starter', 'operator', 'author', 'worker', 'admin'];

const HASH: Rule = {
  holds: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  means: 'a SHA-256 in hexadecimal',
};

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
  hash: HASH,
  name: TEXT,
  createdAt: DATE,
  expiresAt: orNull(DATE),
  madeBy: orAbsent(TEXT),
  usedAt: orNull(DATE),
});
