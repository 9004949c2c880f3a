import { hkdfSync } from 'node:crypto';

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

/**
 * The key of 32 bytes that follows from a secret key for one use, by HKDF-SHA256 (RFC 5869). It
 * tells nothing of the secret key, nor of the key of another use. `key`: 32 bytes in hexadecimal;
 * `salt`: a text that two deployments with one key do not share. Default: none.
 */
export function deriveKey(key: string, purpose: KeyPurpose, salt = ''): Buffer {
  const secret = Buffer.from(key, 'hex');
  return Buffer.from(hkdfSync('sha256', secret, salt, `backstep ${purpose}`, KEY_BYTES));
}
