import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readPrivateFile } from '#process';
import { SettingsError } from '#settings';

/**
 * The Ed25519 private key in a PEM file. Throws a `SettingsError` where there is none, and where
 * others than this process may read or write it: whoever has it can sign a log of their own.
 */
export function readAuditKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readPrivateFile(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`${file} holds a key of ${key.asymmetricKeyType}, and not of Ed25519`);
  } catch (error) {
    throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${(error as Error).message}`]);
  }
}
