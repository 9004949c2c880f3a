import { DATE, oneOf, orAbsent, orNull, TEXT, TEXT_LIST, TEXTS } from '#core/json';
import { recordKind, SHA_256 } from '../record-kind.js';

/**
 * The roles of keys. Each of `viewer`, `starter`, `operator`, `author`, `admin` has the rights of
 * those before it; a `worker` takes and completes the work of its modules, and nothing else.
 */
export const ROLES = ['viewer', 'starter', 'operator', 'author', 'worker', 'admin'] as const;

/** The rights of a key. */
export type Role = (typeof ROLES)[number];

/** An API key as it is kept: the secret itself is not. Times are milliseconds since 1970. */
export interface KeyRecord {
  readonly id: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly hash: string;
  /** The actor of everything that is done with the key. Several keys may share it. */
  readonly name: string;
  readonly role: Role;
  /** Patterns of flow names; null: all flows. */
  readonly flows: readonly string[] | null;
  /** Labels that a task must have; null: none. */
  readonly labels: Readonly<Record<string, string>> | null;
  /** Patterns of module names; null: all modules. */
  readonly modules: readonly string[] | null;
  readonly createdAt: number;
  /** From then on the key is not taken; null: it does not expire. */
  readonly expiresAt: number | null;
  /** The person who made it; absent: it was made in the store itself, or nobody was asked. */
  readonly madeBy?: string;
  /** When it was last used, as far as anybody noted it; null: never. */
  readonly usedAt: number | null;
}

/** The role that a value in the tokens of an issuer gives, within its limits; null: not limited. */
export interface RoleGrant extends Pick<KeyRecord, 'flows' | 'labels' | 'modules' | 'role'> {
  readonly value: string;
}

/** The rules of what a key may do. */
export const KEY_LIMITS = {
  role: oneOf(ROLES, 'a role'),
  flows: orNull(TEXT_LIST),
  labels: orNull(TEXTS),
  modules: orNull(TEXT_LIST),
};

/** API keys. `age`: all, by the time at which they were made. */
export const KEY = recordKind<KeyRecord, 'age'>({
  name: 'key',
  plural: 'access_keys',
  shape: {
    ...KEY_LIMITS,
    id: TEXT,
    hash: SHA_256,
    name: TEXT,
    createdAt: DATE,
    expiresAt: orNull(DATE),
    madeBy: orAbsent(TEXT),
    usedAt: orNull(DATE),
  },
  idOf: ({ id }) => id,
  version: ['usedAt'],
  moments: ['createdAt', 'expiresAt', 'usedAt'],
  indexes: { age: { of: [], by: 'createdAt' } },
});
