import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { allOf, type Clock, type KeyRecord, nullWhereUnreadable } from '#ports';
import { type Records, StoreUnavailable } from '#ports';

/** Dependencies of the sessions of pasted credentials. */
interface KeptCredentialsOptions {
  readonly keys: Records<KeyRecord, 'age'>;
  readonly clock: Clock;
  /** 43 characters of base64url that were never given before. */
  readonly newSecret: () => string;
}

/** Begins the text of such a session; no other credential begins so. */
export const KEPT_PREFIX = 'bsb_';
/** Begins their ids in the store; no key of a request has such an id. */
const ID_PREFIX = 'kept-session-';
const DAY_MS = 86_400_000;
/** Longest life of a session, in milliseconds. */
const LIFETIME_MS = 7 * DAY_MS;
/** Sessions of one credential at a time; one more ends the oldest. */
const EACH_MAX = 50;
/** A record that was read is believed for so long, in milliseconds. */
const BELIEVED_MS = 2_000;
/** And for so long while the store does not answer. */
const BELIEVED_UNANSWERED_MS = 60_000;
/** Records that are kept in memory. */
const CACHED_MAX = 10_000;
const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;
const CREDENTIAL_MAX = 16_384;
/** The key of a session seals one text alone, so its nonce need not change. */
const NONCE = Buffer.alloc(12);
const FORM = /^bsb_([\da-f]{16})\.([\w-]+)$/;

interface Cached {
  readonly record: KeyRecord;
  /** By the monotonic clock. */
  readonly readAt: number;
}

/**
 * Sessions of browsers into which a person has pasted a key or a token. The cookie has the
 * credential, sealed with a key that is in the store alone, beside the keys. Signing out removes
 * that: a copy of the cookie is of no use then, and neither is a copy of the store.
 */
export class KeptCredentials {
  readonly #cached = new Map<string, Cached>();

  constructor(private readonly options: KeptCredentialsOptions) {}

  /** Whether the id is one of such a session. */
  static isId(id: string): boolean {
    return id.startsWith(ID_PREFIX);
  }

  /** The name of a session, which is none of its secrets; null: the text is no session. */
  static idOf(text: string): string | null {
    const id = FORM.exec(text)?.[1];
    return id === undefined ? null : `${ID_PREFIX}${id}`;
  }

  /**
   * Begins a session; `goodUntil` is when the credential ends, in milliseconds since 1970. Returns
   * the text for the cookie. Throws `StoreUnavailable`.
   */
  async keep(credential: string, goodUntil = Infinity): Promise<string> {
    const { clock, keys, newSecret } = this.options;
    const now = clock.now();
    const id = Buffer.from(newSecret(), 'base64url').toString('hex').slice(0, 16);
    const hash = Buffer.from(newSecret(), 'base64url').toString('hex');
    const name = nameFor(credential);
    await this.#makeRoom(name, now);
    const nothing = { role: 'viewer', flows: [], labels: null, modules: [], usedAt: null } as const;
    const times = { createdAt: now, expiresAt: Math.min(goodUntil, now + LIFETIME_MS) };
    await keys.put({ id: `${ID_PREFIX}${id}`, hash, name, ...nothing, ...times }, null);
    return `${KEPT_PREFIX}${id}.${seal(credential, hash)}`;
  }

  /** Returns the credential of an open session; null: there is none. Throws `StoreUnavailable`. */
  async open(text: string): Promise<string | null> {
    const id = KeptCredentials.idOf(text);
    const record = id === null ? null : await this.#read(id);
    return record === null ? null : unseal(FORM.exec(text)?.[2] ?? '', record.hash);
  }

  /** Whether a session of this id is open. Throws `StoreUnavailable`. */
  async isOpen(id: string): Promise<boolean> {
    return (await this.#read(id)) !== null;
  }

  /** Ends a session in all processes of the store, within two seconds. Throws as the store does. */
  async end(text: string): Promise<void> {
    const id = KeptCredentials.idOf(text);
    if (id === null) return;
    await this.options.keys.remove(id, 'any');
    this.#cached.delete(id);
  }

  async #read(id: string): Promise<KeyRecord | null> {
    const { clock, keys } = this.options;
    const readAt = clock.monotonic();
    const known = this.#cached.get(id);
    const age = readAt - (known?.readAt ?? -Infinity);
    if (known !== undefined && age < BELIEVED_MS) return this.#unlessOver(known.record);
    try {
      const record = await keys.get(id).catch(nullWhereUnreadable);
      if (this.#cached.size >= CACHED_MAX) this.#cached.clear();
      if (record === null) this.#cached.delete(id);
      else this.#cached.set(id, { record, readAt });
      return record === null ? null : this.#unlessOver(record);
    } catch (error) {
      const isBelieved = known !== undefined && age < BELIEVED_UNANSWERED_MS;
      if (error instanceof StoreUnavailable && isBelieved) return this.#unlessOver(known.record);
      throw error;
    }
  }

  #unlessOver(record: KeyRecord): KeyRecord | null {
    return this.options.clock.now() >= (record.expiresAt ?? Infinity) ? null : record;
  }

  async #makeRoom(name: string, now: number): Promise<void> {
    const { keys } = this.options;
    const all = (await allOf(keys, { index: 'age' })).filter(({ id }) => KeptCredentials.isId(id));
    const isOver = ({ expiresAt }: KeyRecord): boolean => expiresAt !== null && expiresAt <= now;
    const over = all.filter(isOver);
    const own = all.filter((record) => record.name === name && !isOver(record));
    const tooMany = own.slice(0, Math.max(0, own.length + 1 - EACH_MAX));
    for (const { id } of [...over, ...tooMany]) await keys.remove(id, 'any');
  }
}

/** Tells sessions of one credential from those of others, and nothing of it. */
function nameFor(credential: string): string {
  return `session ${hash('sha256', credential, 'hex').slice(0, 16)}`;
}

/** Packed first: a cookie has hardly room for a token, and none for what sealing adds. */
function seal(text: string, key: string): string {
  const cipher = createCipheriv(ALGORITHM, Buffer.from(key, 'hex'), NONCE);
  const hidden = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()]);
  return Buffer.concat([cipher.getAuthTag(), hidden]).toString('base64url');
}

function unseal(sealed: string, key: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const options = { authTagLength: TAG_BYTES };
    const opener = createDecipheriv(ALGORITHM, Buffer.from(key, 'hex'), NONCE, options);
    opener.setAuthTag(bytes.subarray(0, TAG_BYTES));
    const packed = Buffer.concat([opener.update(bytes.subarray(TAG_BYTES)), opener.final()]);
    return inflateRawSync(packed, { maxOutputLength: CREDENTIAL_MAX }).toString();
  } catch {
    return null;
  }
}
