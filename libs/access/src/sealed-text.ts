import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import type { JsonValue } from '#core';
import { readStoredJson } from '#core/json';
import { SEAL_MARK } from '#core/secrets';
import { CannotOpenSecret, type Secrets } from '#ports';

const ALGORITHM = 'aes-256-gcm';
const KEY_ID_LENGTH = 8;

/** Bytes of a nonce, which must be new for every text, and of the code that shows changes. */
const NONCE_BYTES = 12;

const TAG_BYTES = 16;
const VERSION = 'v2';

/** A text is filled up to a multiple of it, so that the sealed one does not show its length. */
const BLOCK_BYTES = 64;

/** Ends a text; zeros follow. */
const TEXT_END = 0x80;

/** The uses of a secret key. A text that one of them makes means nothing to another. */
export type KeyPurpose =
  | 'claims of workers'
  | 'completion tokens'
  | 'console sessions'
  | 'fingerprints of secrets'
  | 'notification channels'
  | 'passwords of instances'
  | 'secrets of tasks';

const KEY_BYTES = 32;

/** The secrets that texts for one use follow from, the same in all processes of a deployment. */
export interface SharedSecrets {
  /** As for `TextSeal`: texts are made with the first and read with each. Null: there is none. */
  readonly keys: readonly string[] | null;
  /** The secret in the store. With keys it only tells deployments apart. */
  readonly shared: string;
}

/** So that a sealed value of a task is no sealed text of anything else. */
const PURPOSE = 'secret of task';

/** A text was sealed with a key that is not known, or it, or what it belongs to, was changed. */
export class CannotUnseal extends Error {
  override readonly name = 'CannotUnseal';
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Seals texts so that nobody without the key reads them, or puts one in the place of another:
 * AES-256-GCM with a key for one use, bound to what the text belongs to. The first key seals, every
 * key unseals, so that a new key is put first and the old one stays until nothing is sealed with
 * it. All texts of up to 63 bytes have sealed ones of the same length.
 */
export class TextSeal {
  readonly #keys: readonly Key[];

  /** `keys`: 32 bytes each, in hexadecimal; at least one. */
  constructor(keys: readonly string[], purpose: KeyPurpose) {
    this.#keys = keys.map((key) => {
      const bytes = deriveKey(key, purpose);
      const id = hash('sha256', bytes, 'hex').slice(0, KEY_ID_LENGTH);
      return { id, bytes };
    });
  }

  /**
   * Seals a text. `owner` names what it belongs to and must be given to unseal it; `chance` is
   * base64url that was never used before, 16 characters or more.
   */
  seal(text: string, owner: string, chance: string): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no key to seal with');
    const nonce = Buffer.from(chance, 'base64url').subarray(0, NONCE_BYTES);
    if (nonce.length !== NONCE_BYTES) throw new Error('the chance is too short');
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const hidden = Buffer.concat([cipher.update(filled(text)), cipher.final()]);
    const body = Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url');
    return `${VERSION}.${key.id}.${body}`;
  }

  /** Whether the key is known that a text was sealed with. */
  knowsKeyOf(sealed: string): boolean {
    const [version, id] = sealed.split('.');
    return version === VERSION && this.#keys.some((key) => key.id === id);
  }

  /** Whether a text was sealed with the key that seals now. */
  isByFirstKey(sealed: string): boolean {
    return sealed.startsWith(`${VERSION}.${this.#keys[0]?.id}.`);
  }

  /** The text again. Throws `CannotUnseal`. */
  unseal(sealed: string, owner: string): string {
    const [version, id, body = ''] = sealed.split('.');
    const key = this.#keys.find((each) => each.id === id);
    if (version !== VERSION || key === undefined) {
      throw new CannotUnseal(`it was sealed with a key that is not known here (${id ?? '-'})`);
    }
    const bytes = Buffer.from(body, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner));
      decipher.setAuthTag(tag);
      const hidden = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return textIn(Buffer.concat([decipher.update(hidden), decipher.final()]));
    } catch (cause) {
      throw new CannotUnseal('it was changed, or belongs to something else', { cause });
    }
  }
}

/** The bytes of a text, filled up. */
function filled(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.alloc((Math.floor(length / BLOCK_BYTES) + 1) * BLOCK_BYTES);
  bytes.write(text);
  bytes[length] = TEXT_END;
  return bytes;
}

function textIn(bytes: Buffer): string {
  return bytes.toString('utf8', 0, bytes.lastIndexOf(TEXT_END));
}

/**
 * The key of 32 bytes that follows from a secret key for one use, by HKDF-SHA256 (RFC 5869). It
 * tells nothing of the secret key, nor of the key of another use. `key`: 32 bytes in hexadecimal;
 * `salt`: a text that two deployments with one key do not share. Default: none.
 */
function deriveKey(key: string, purpose: KeyPurpose, salt = ''): Buffer {
  const secret = Buffer.from(key, 'hex');
  return Buffer.from(hkdfSync('sha256', secret, salt, `backstep ${purpose}`, KEY_BYTES));
}

/**
 * The keys for one use: the first makes texts, each reads them. Keys as objects: an HMAC with a key
 * of bytes imports it each time, which takes six times as long on Node 24.
 */
export function hmacKeysFor(
  { keys, shared }: SharedSecrets,
  purpose: KeyPurpose,
): readonly [KeyObject, ...KeyObject[]] {
  const [first = Buffer.from(shared), ...others] = (keys ?? []).map((key) =>
    deriveKey(key, purpose, shared),
  );
  return [createSecretKey(first), ...others.map((key) => createSecretKey(key))];
}

/** Secrets of tasks, sealed with the keys of a deployment. */
export class SealedSecrets implements Secrets {
  readonly canSeal = true;
  readonly #seal: TextSeal;
  readonly #fingerprintKeys: readonly KeyObject[];
  readonly #newChance: () => string;

  /**
   * `keys`: as for `TextSeal`; the first seals, all open. `newChance`: base64url of 16 characters
   * or more that was never used before.
   */
  constructor(keys: readonly string[], newChance: () => string) {
    this.#seal = new TextSeal(keys, 'secrets of tasks');
    this.#fingerprintKeys = keys.map((key) =>
      createSecretKey(deriveKey(key, 'fingerprints of secrets')),
    );
    this.#newChance = newChance;
  }

  seal(value: JsonValue, owner: string): string {
    const text = JSON.stringify(value);
    return `${SEAL_MARK}${this.#seal.seal(text, ownerText(owner), this.#newChance())}`;
  }

  open(sealed: string, owner: string): JsonValue {
    const text = sealed.slice(SEAL_MARK.length);
    try {
      return readStoredJson(this.#seal.unseal(text, ownerText(owner)), 'a secret') as JsonValue;
    } catch (cause) {
      if (!(cause instanceof CannotUnseal)) throw cause;
      throw new CannotOpenSecret(!this.hasKeyOf(sealed), cause.message, { cause });
    }
  }

  hasKeyOf(sealed: string): boolean {
    return this.#seal.knowsKeyOf(sealed.slice(SEAL_MARK.length));
  }

  fingerprints(text: string): readonly string[] {
    return this.#fingerprintKeys.map((key) => {
      return createHmac('sha256', key).update(text).digest('base64url');
    });
  }
}

function ownerText(owner: string): string {
  return `${PURPOSE} ${owner}`;
}
