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

/**
 * Where API keys are kept, and what else must stay secret. Every method may throw
 * `StoreUnavailable`, which says nothing about whether a write took effect.
 */
export interface KeyStore {
  /** Stores a key durably. A repetition of the same key is harmless. */
  addKey(record: KeyRecord): Promise<void>;
  /** The key of this id as it is stored now, or null. */
  findKey(id: string): Promise<KeyRecord | null>;
  /** All keys, the oldest first. */
  listKeys(): Promise<readonly KeyRecord[]>;
  /** Removes a key for good. False: there was none. */
  removeKey(id: string): Promise<boolean>;
  /** Notes that a key was used at this time; an earlier time than the one noted changes nothing. */
  noteKeyUse(id: string, at: number): Promise<void>;
  /**
   * The secret that all processes with this store share under a name: the one that was kept first,
   * or `fresh`, which is kept durably then.
   */
  sharedSecret(name: string, fresh: string): Promise<string>;
}

/** Under this name a store keeps its id, which a copy of it has too; it is not secret. */
export const STORE_ID = 'store';
